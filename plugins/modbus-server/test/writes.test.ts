import { DataType, ErrorCode, Fault } from '@tagway/sdk';
import { expect } from 'chai';
import { until } from '@tagway/testkit';
import { Master } from './kit/master.ts';
import { line, readingOf, TestServer } from './kit/server.ts';

const { BIT, BOOL, UINT16, UINT64, FLOAT, STRING } = DataType;

const lines = [
  line('coil', 1, 'coil', 1, '', '', '', 'rw'),
  line('flag', 1, 'coil', 2, '', '', '', 'rw'),
  line('locked', 1, 'coil', 3),
  line('word', 1, 'holding', 1, 'UINT16', '', '', 'rw'),
  line('level', 1, 'holding', 2, 'FLOAT', '', '', 'rw'),
  line('tenth', 1, 'holding', 4, 'INT16', '', '10', 'rw'),
  line('wide', 1, 'holding', 5, 'UINT64', '', '', 'rw'),
  line('name', 1, 'holding', '9.4', 'STRING', '', '', 'rw'),
  line('fixed', 1, 'holding', 11, 'UINT16'),
  line('bit0', 1, 'holding', '12.0', 'BIT', '', '', 'rw'),
  line('bit3', 1, 'holding', '12.3', 'BIT', '', '', 'rw'),
  line('bit8', 1, 'holding', '12.8', 'BIT'),
];

const values = {
  'plant/fast/coil': { value: 0, type: BIT },
  'plant/fast/flag': { value: false, type: BOOL },
  'plant/fast/locked': { value: 0, type: BIT },
  'plant/fast/word': { value: 0x00ff, type: UINT16 },
  'plant/fast/level': { value: 0, type: FLOAT },
  'plant/fast/tenth': { value: 0, type: FLOAT },
  'plant/fast/wide': { value: 0n, type: UINT64 },
  'plant/fast/name': { value: '', type: STRING },
  'plant/fast/fixed': { value: 1, type: UINT16 },
  'plant/fast/bit0': { value: 0, type: BIT },
  'plant/fast/bit3': { value: 1, type: BIT },
  'plant/fast/bit8': { value: 1, type: BIT },
};

describe('what masters write', () => {
  let server: TestServer;
  let master: Master;

  async function start(settings: object = {}): Promise<void> {
    server = await TestServer.start(lines, settings);
    server.take(values);
    master = await Master.connect(server.port);
  }

  afterEach(async () => {
    await master[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const written = (): [string, unknown][] =>
    server.written
      .splice(0)
      .flatMap(({ writes }) => writes.map(({ tag, value }): [string, unknown] => [tag, value]));

  it('goes to the tags as their values, and is confirmed when the device has', async () => {
    await start();
    let confirm: () => void = () => undefined;
    server.answer = ({ writes }) =>
      new Promise((resolve) => (confirm = () => resolve(writes.map(() => undefined))));
    const coil = master.begin('05 0000 ff00');
    await until('it is written', () => server.written.length === 1);
    expect(server.written[0]!.options).to.include({ whole: true, from: '127.0.0.1' });
    // A read does not wait for a write, and has the value that the device has confirmed.
    expect(await master.ask('01 0000 0001')).to.equal('010100');
    confirm();
    expect((await coil).toString('hex')).to.equal('050000ff00');
    expect(await master.ask('01 0000 0001')).to.equal('010101');
    server.answer = ({ writes }) => Promise.resolve(writes.map(() => undefined));
    written();
    expect(await master.ask('0f 0000 0002 01 02')).to.equal('0f00000002');
    expect(written()).to.deep.equal([
      ['coil', 0],
      ['flag', true],
    ]);
    expect(await master.ask('06 0000 1234')).to.equal('0600001234');
    expect(written()).to.deep.equal([['word', 0x1234]]);
    expect(await master.ask('10 0000 000a 14 0007 3fc00000 00d7 0000000000000101 61620000')).to.equal(
      '100000000a',
    );
    expect(written()).to.deep.equal([
      ['word', 7],
      ['level', 1.5],
      ['tenth', 21.5],
      ['wide', 257n],
      ['name', 'ab'],
    ]);
    expect(await master.ask('03 0000 000a')).to.equal('031400073fc0000000d7000000000000010161620000');
  });

  it('of a part of a value, of a gap or of a row that is read-only is exception 2, and nothing is written', async () => {
    await start();
    for (const pdu of [
      '06 0001 0000',
      '10 0001 0001 02 0000',
      '10 0002 0002 04 00000000',
      '10 0000 0002 04 00000000',
      '06 000a 0005',
      '05 0002 ff00',
      '0f 0000 0003 01 07',
      '06 0063 0000',
      '10 ffff 0002 04 00000000',
      '06 000b 0000',
      '16 0001 0000 0001',
      '16 000b feff 0000',
    ])
      expect(await master.ask(pdu), pdu).to.match(/^..02$/);
    expect(written()).to.deep.equal([]);
  });

  it('of a wrong count or of a value that no tag takes is exception 3', async () => {
    await start();
    for (const pdu of [
      '05 0000 0001',
      '10 0000 0000 00',
      '10 0000 0001 04 00000000',
      '0f 0000 0002 02 0000',
      '10 0001 0002 04 7fc00000',
      '10 0008 0002 04 ff000000',
      '06 0000',
      '16 000b fffd 0002',
      '17 0000 0000 0000 0001 02 0000',
    ])
      expect(await master.ask(pdu), pdu).to.match(/^..03$/);
    expect(written()).to.deep.equal([]);
  });

  it('reads and writes in one request, and masks bits', async () => {
    await start();
    expect(await master.ask('17 0000 0063 0000 0001 02 abcd')).to.equal('9702');
    expect(written()).to.deep.equal([]);
    expect(await master.ask('17 0000 0003 0000 0001 02 abcd')).to.equal('1706abcd00000000');
    expect(written()).to.deep.equal([['word', 0xabcd]]);
    // Bits of other tags are not written.
    expect(await master.ask('16 000b fffe 0001')).to.equal('16000bfffe0001');
    expect(written()).to.deep.equal([['bit0', 1]]);
    expect(await master.ask('03 000b 0001')).to.equal('03020109');
    expect(await master.ask('16 000b fff6 0000')).to.equal('16000bfff60000');
    expect(written()).to.deep.equal([
      ['bit0', 0],
      ['bit3', 0],
    ]);
    // A register that is a number is read from the device before it is changed.
    server.reading = readingOf('plant/fast/word', 0x5500);
    expect(await master.ask('16 0000 ff00 0042')).to.equal('160000ff000042');
    expect(written()).to.deep.equal([['word', 0x5542]]);
  });

  it('is answered by what has become of it', async () => {
    await start();
    for (const [code, exception] of [
      [ErrorCode.VALUE_OUT_OF_RANGE, '03'],
      [ErrorCode.TYPE_MISMATCH, '03'],
      [ErrorCode.TAG_NOT_WRITABLE, '02'],
      [ErrorCode.DISCONNECTED, '0b'],
      [ErrorCode.NO_RESPONSE, '0b'],
      [ErrorCode.NOT_RUNNING, '0b'],
      [ErrorCode.BUSY, '06'],
      [ErrorCode.WRITE_FAILED, '04'],
    ] as const) {
      server.answer = ({ writes }) => Promise.resolve(writes.map(() => new Fault(code)));
      expect(await master.ask('06 0000 0001')).to.equal(`86${exception}`);
      expect(await master.ask('0f 0000 0002 01 03')).to.equal(`8f${exception}`);
    }
    server.answer = () => Promise.resolve([undefined, new Fault(ErrorCode.DISCONNECTED, 'It is away.')]);
    expect(await master.ask('0f 0000 0002 01 03')).to.equal('8f04');
    expect(server.record.logs.join('\n')).to.match(
      /carried out in part\. Written: plant\/fast\/coil\. Not written: plant\/fast\/flag: It is away\./,
    );
    // What was written is what is read.
    expect(await master.ask('01 0000 0002')).to.equal('010101');
  });

  it('gets exception 0x0B at the time limit, and 6 while too many wait', async () => {
    await start({ write_timeout: 300, max_writes: 2 });
    server.answer = () => new Promise(() => undefined);
    const waiting = [master.begin('06 0000 0001'), master.begin('06 0000 0002')];
    expect(await master.ask('06 0000 0003')).to.equal('8606');
    for (const answer of await Promise.all(waiting)) expect(answer.toString('hex')).to.equal('860b');
    expect(server.written.every(({ options }) => options.signal?.aborted === true)).to.equal(true);
    server.answer = ({ writes }) => Promise.resolve(writes.map(() => undefined));
    expect(await master.ask('06 0000 0003')).to.equal('0600000003');
  });

  it('is refused where writes are off, and of addresses that may not', async () => {
    await start({ writes: false });
    expect(await master.ask('06 0000 0001')).to.equal('8602');
    await master[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await start({ write_addresses: '127.0.0.2' });
    expect(await master.ask('06 0000 0001')).to.equal('8602');
    await using other = await Master.connect(server.port, { localAddress: '127.0.0.2' });
    expect(await other.ask('06 0000 0001')).to.equal('0600000001');
    expect(server.written.map(({ options }) => options.from)).to.deep.equal(['127.0.0.2']);
  });

  it('of a tag that is not there is exception 0x0B', async () => {
    await start();
    server.take({});
    expect(await master.ask('06 0000 0001')).to.equal('860b');
    expect(written()).to.deep.equal([]);
  });
});
