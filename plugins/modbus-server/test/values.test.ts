import { DataType, ErrorCode, Fault, Quality } from '@tagway/sdk';
import { expect } from 'chai';
import { Master } from './kit/master.ts';
import { line, TestServer } from './kit/server.ts';

const { BIT, BOOL, INT16, INT64, UINT16, UINT64, FLOAT, DOUBLE, STRING, BYTES } = DataType;
const gone = new Fault(ErrorCode.DISCONNECTED, 'The device is away.');

describe('what masters read', () => {
  it('every type in every order, as the drivers read it', async () => {
    const rows: readonly (readonly [
      name: string,
      row: string,
      value: number | bigint | string | Uint8Array,
      hex: string,
    ])[] = [
      ['i16', '1,INT16', -2, 'fffe'],
      ['i16b', '2,INT16,BA', -2, 'feff'],
      ['u16', '3,UINT16', 65_534, 'fffe'],
      ['i32', '4,INT32', -2, 'fffffffe'],
      ['u32ll', '6,UINT32,ABCD', 0x01020304, '01020304'],
      ['u32lb', '8,UINT32,BADC', 0x01020304, '02010403'],
      ['u32bl', '10,UINT32,CDAB', 0x01020304, '03040102'],
      ['u32bb', '12,UINT32,DCBA', 0x01020304, '04030201'],
      ['f', '14,FLOAT,BL', 1.5, '00003fc0'],
      ['d', '16,DOUBLE', 1.5, '3ff8000000000000'],
      ['i64', '20,INT64', -(2n ** 63n) + 1n, '8000000000000001'],
      ['u64', '24,UINT64,GHEFCDAB', 0x0102030405060708n, '0708050603040102'],
      ['u64ws', '28,UINT64,WS', 0x0102030405060708n, '0304010207080506'],
      ['s', '32.6,STRING', 'grün', '6772c3bc6e00'],
      ['sl', '35.6L,STRING', 'abcde', '626164630065'],
      ['sd', '38.3D,STRING', 'abc', '006100620063'],
      ['b', '41.4,BYTES', Uint8Array.of(1, 2, 3, 4), '01020304'],
      ['long', '43.4,STRING', 'grüße', '6772c3bc'],
      ['scaled', '45,INT16,,10', 21.46, '00d7'],
    ];
    await using server = await TestServer.start(
      rows.map(([name, row]) => {
        const [address, ...fields] = row.split(',');
        return line(name, 1, 'holding', address!, ...fields);
      }),
    );
    server.take(
      Object.fromEntries(
        rows.map(([name, row, value]) => {
          const wide = row.includes('UINT64') ? UINT64 : INT64;
          const type = typeof value === 'bigint' ? { value, type: wide } : value;
          return [`plant/fast/${name}`, type];
        }),
      ),
    );
    await using master = await Master.connect(server.port);
    const all = rows.map(([, , , hex]) => hex).join('');
    expect(await master.ask('03 0000 002d')).to.equal(`035a${all}`);
  });

  it('the four tables of units that know nothing of each other', async () => {
    await using server = await TestServer.start([
      line('on', 1, 'coil', 1),
      line('off', 1, 'coil', 2, 'BIT'),
      line('on', 1, 'coil', 11),
      line('on', 7, 'discrete', 1),
      line('word', 7, 'input', 1, 'UINT16'),
      line('word', 1, 'holding', 1, 'UINT16'),
      line('on', 1, 'holding', '2.0', 'BIT'),
      line('off', 1, 'holding', '2.1', 'BIT'),
      line('on', 1, 'holding', '2.15', 'BIT'),
    ]);
    server.take({
      'plant/fast/on': { value: true, type: BOOL },
      'plant/fast/off': { value: 0, type: BIT },
      'plant/fast/word': { value: 0x1234, type: UINT16 },
    });
    await using master = await Master.connect(server.port);
    expect(await master.ask('01 0000 0002')).to.equal('010101');
    expect(await master.ask('01 000a 0001')).to.equal('010101');
    expect(await master.ask('02 0000 0001', 7)).to.equal('020101');
    expect(await master.ask('04 0000 0001', 7)).to.equal('04021234');
    expect(await master.ask('03 0000 0002')).to.equal('030412348001');
    expect(await master.ask('04 0000 0001')).to.equal('8402');
  });

  it('gaps are exception 2, or zero', async () => {
    const lines = [
      line('a', 1, 'holding', 1, 'UINT16'),
      line('b', 1, 'holding', 3, 'UINT16'),
      line('c', 1, 'coil', 3),
    ];
    const values = { 'plant/fast/a': 1, 'plant/fast/b': 2, 'plant/fast/c': true };
    await using strict = await TestServer.start(lines);
    strict.take(values);
    await using one = await Master.connect(strict.port);
    expect(await one.ask('03 0000 0001')).to.equal('03020001');
    expect(await one.ask('03 0000 0003')).to.equal('8302');
    expect(await one.ask('03 0300 0001')).to.equal('8302');
    expect(await one.ask('03 ffff 0002')).to.equal('8302');
    await using lenient = await TestServer.start(lines, { gaps: 1 });
    lenient.take(values);
    await using other = await Master.connect(lenient.port);
    expect(await other.ask('03 0000 0004')).to.equal('03080001000000020000');
    expect(await other.ask('01 0000 0009')).to.equal('01020400');
    expect(await other.ask('03 0300 0001')).to.equal('03020000');
    expect(await other.ask('03 ffff 0002')).to.equal('8302');
    expect(await other.ask('06 0001 0001')).to.equal('8602');
  });

  it('bad values are exception 0x0B, the last value beside its quality, or a fixed value', async () => {
    const lines = [
      line('a', 1, 'holding', 1, 'INT16', '', '', '', 1),
      line('b', 1, 'holding', 2, 'FLOAT', '', '', '', 2),
      line('bit', 1, 'holding', '4.3', 'BIT', '', '', '', 3),
    ];
    const good = { 'plant/fast/a': 5, 'plant/fast/b': 1.5, 'plant/fast/bit': true };
    const bad = { 'plant/fast/a': gone, 'plant/fast/b': gone, 'plant/fast/bit': gone };
    const outcomes = [
      { settings: {}, before: '830b', after: '830b' },
      { settings: { bad: 1 }, before: '03080000000000000000', after: '030800053fc000000008' },
      { settings: { bad: 2, bad_value: -1 }, before: '0308ffffbf8000000008', after: '0308ffffbf8000000008' },
    ];
    for (const { settings, before, after } of outcomes) {
      await using server = await TestServer.start(lines, settings);
      await using master = await Master.connect(server.port);
      expect(await master.ask('03 0000 0004')).to.equal(before);
      expect(await master.ask('02 0000 0003')).to.equal('020100');
      server.take(good);
      expect(await master.ask('03 0000 0004')).to.equal('030800053fc000000008');
      expect(await master.ask('02 0000 0003')).to.equal('020107');
      server.take({ ...good, 'plant/fast/a': { value: 5, quality: Quality.STALE } });
      expect(await master.ask('03 0000 0004')).to.equal('030800053fc000000008');
      expect(await master.ask('02 0000 0003')).to.equal('020106');
      server.take(bad);
      expect(await master.ask('03 0000 0004')).to.equal(after);
      expect(await master.ask('02 0000 0003')).to.equal('020100');
    }
  });

  it('what does not fit into its registers, or has another type, is bad', async () => {
    await using server = await TestServer.start([
      line('a', 1, 'holding', 1, 'INT16'),
      line('b', 1, 'holding', '2.2', 'STRING'),
      line('c', 1, 'holding', 3, 'FLOAT'),
      line('d', 1, 'holding', '5.2', 'BYTES'),
      line('e', 1, 'holding', 6, 'INT64'),
    ]);
    await using master = await Master.connect(server.port);
    server.take({
      'plant/fast/a': 40_000,
      'plant/fast/b': 7,
      'plant/fast/c': 1e300,
      'plant/fast/d': { value: Uint8Array.of(1, 2, 3), type: BYTES },
      'plant/fast/e': { value: 1.4, type: DOUBLE },
    });
    for (const [start, count] of [
      ['0000', '0001'],
      ['0001', '0001'],
      ['0002', '0002'],
      ['0004', '0001'],
    ] as const)
      expect(await master.ask(`03 ${start} ${count}`), start).to.equal('830b');
    expect(await master.ask('03 0005 0004')).to.equal('03080000000000000001');
    server.take({
      'plant/fast/a': { value: -1.5, type: INT16 },
      'plant/fast/b': { value: 'a', type: STRING },
      'plant/fast/c': { value: 2, type: FLOAT },
    });
    expect(await master.ask('03 0000 0004')).to.equal('0308ffff610040000000');
  });

  it('says who it is, in several answers where one has no room', async () => {
    const text = 'x'.repeat(100);
    await using server = await TestServer.start([line('a', 1, 'coil', 1)], {
      vendor: text,
      product: text,
      revision: 'r',
    });
    await using master = await Master.connect(server.port);
    const hex = (value: string): string => Buffer.from(value).toString('hex');
    const object = (id: string, value: string): string =>
      id + value.length.toString(16).padStart(2, '0') + hex(value);
    const basic = object('00', text) + object('01', text) + object('02', 'r');
    expect(await master.ask('2b 0e 01 00')).to.equal(`2b0e0182000003${basic}`);
    expect(await master.ask('2b 0e 04 02')).to.equal(`2b0e0482000001${object('02', 'r')}`);
    expect(await master.ask('2b 0e 02 00')).to.equal(`2b0e0282ff0403${basic}`);
    expect(await master.ask('2b 0e 02 04')).to.match(new RegExp(`^2b0e0282000002${object('04', text)}06`));
    expect(await master.ask('2b 0e 04 07')).to.equal('ab02');
    expect(await master.ask('2b 0e 05 00')).to.equal('ab03');
    expect(await master.ask('2b 0d 00 00')).to.equal('ab01');
  });

  it('unknown functions are exception 1, wrong counts 3, unknown units 0x0B or silence', async () => {
    const lines = [line('a', 1, 'holding', 1, 'UINT16')];
    await using server = await TestServer.start(lines);
    server.take({ 'plant/fast/a': 9 });
    await using master = await Master.connect(server.port);
    expect(await master.ask('07')).to.equal('8701');
    expect(await master.ask('18 0000')).to.equal('9801');
    for (const pdu of ['03 0000 0000', '03 0000 007e', '01 0000 07d1', '03 0000', '03 0000 0001 00'])
      expect(await master.ask(pdu), pdu).to.match(/^8[13]03$/);
    expect(await master.ask('03 0000 0001', 2)).to.equal('830b');
    await using silent = await TestServer.start(lines, { unknown_unit: 1 });
    silent.take({ 'plant/fast/a': 9 });
    await using other = await Master.connect(silent.port);
    void other.begin('03 0000 0001', 2);
    expect(await other.ask('03 0000 0001')).to.equal('03020009');
    expect(other.wire.filter(({ fromClient }) => !fromClient).length).to.equal(1);
  });

  it('another table holds at once, without a connection being lost', async () => {
    await using server = await TestServer.start([line('a', 1, 'holding', 1, 'UINT16')]);
    server.take({ 'plant/fast/a': 9 });
    await using master = await Master.connect(server.port);
    expect(await master.ask('03 0000 0001')).to.equal('03020009');
    expect(server.change([line('a', 1, 'holding', 5, 'UINT32')])).to.equal(true);
    expect(await master.ask('03 0004 0002')).to.equal('030400000009');
    expect(await master.ask('03 0000 0001')).to.equal('8302');
    expect(server.change([], { gaps: 1 })).to.equal(false);
    expect(master.isClosed).to.equal(false);
  });
});
