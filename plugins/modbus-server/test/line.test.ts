import { crc16 } from '@tagway/modbus/rtu';
import { DataType, ErrorCode, Fault, LinkState } from '@tagway/sdk';
import { itWithSerialPort, randomOf, SerialCable, statesOf, until } from '@tagway/testkit';
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { framesIn } from '../src/link/line-frames.ts';
import { mbpoll } from './kit/mbpoll.ts';
import { line, TestServer } from './kit/server.ts';
import { frame, Wire } from './kit/wire.ts';

const lines = [
  line('word', 1, 'holding', 1, 'UINT16', '', '', 'rw'),
  line('other', 2, 'holding', 1, 'UINT16', '', '', 'rw'),
  line('coil', 1, 'coil', 1, '', '', '', 'rw'),
];
const values = {
  'plant/fast/word': { value: 5, type: DataType.UINT16 },
  'plant/fast/other': { value: 6, type: DataType.UINT16 },
  'plant/fast/coil': { value: 0, type: DataType.BIT },
};

/** A server on the near end, and the bytes of the line. */
class Line implements AsyncDisposable {
  readonly wire: Wire;
  readonly server: TestServer;

  private constructor(wire: Wire, server: TestServer) {
    this.wire = wire;
    this.server = server;
  }

  static async open(settings: object = {}): Promise<Line> {
    const wire = await Wire.open();
    const server = await TestServer.start(lines, {
      medium: 1,
      device: wire.cable.near,
      baud: 3,
      ...settings,
    });
    server.take(values);
    await until('the port is open', () => statesOf(server.record).at(-1) === LinkState.CONNECTED);
    return new Line(wire, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.wire[Symbol.asyncDispose]();
  }
}

describe('frames on a line', () => {
  const found = (...parts: readonly string[]): string[] => {
    const data = Buffer.concat(
      parts.map((part) => (part.startsWith('!') ? Buffer.from(part.slice(1), 'hex') : frame(part))),
    );
    const { frames, isOpen } = framesIn(data, data.length);
    return [
      ...frames.map(
        ({ at, end, isRequest }) =>
          `${isRequest ? 'request ' : 'answer '}${data.toString('hex', at, end - 2)}`,
      ),
      ...(isOpen ? ['open'] : []),
    ];
  };

  it('are found one behind the other, requests and answers', () => {
    const others = [
      '05 03 0000 0002',
      '05 03 04 00010002',
      '06 10 0000 0001 02 0001',
      '06 10 0000 0001',
      '07 83 02',
    ];
    expect(found(...others, '01 03 0000 0001')).to.deep.equal([
      'request 050300000002',
      'answer 05030400010002',
      'request 061000000001020001',
      'answer 061000000001',
      'answer 078302',
      'request 010300000001',
    ]);
    expect(
      found('09 64 0102030405', '01 16 0000 ff00 0001', '01 17 0000 0001 0000 0001 02 1234'),
    ).to.deep.equal([
      'request 09640102030405',
      'request 01160000ff000001',
      'request 01170000000100000001021234',
    ]);
    expect(found('01 2b 0e 01 00')).to.deep.equal(['request 012b0e0100']);
  });

  it('do not begin in the middle of something else', () => {
    expect(found('!ff', '01 06 0000 0001')).to.deep.equal(['open']);
    expect(found('01 03 0000 0001', '!0103')).to.deep.equal(['request 010300000001', 'open']);
    expect(found('!0106000000010000', '01 06 0000 0001')).to.deep.equal([]);
  });

  it('are those with a sound checksum alone, in random bytes', () => {
    const random = randomOf(3);
    for (let round = 0; round < 3000; round++) {
      const data = Buffer.from(Array.from({ length: random(300) }, () => random(random(2) === 0 ? 8 : 256)));
      let at = 0;
      for (const one of framesIn(data, data.length).frames) {
        expect(one.at).to.equal(at);
        expect(crc16(data, one.at, one.end)).to.equal(0);
        at = one.end;
      }
      expect(at).to.be.at.most(data.length);
    }
  });
});

describe('a serial line', function () {
  this.timeout(30_000);

  itWithSerialPort('is served, each unit by its own rows', async () => {
    await using both = await Line.open();
    const { server, wire } = both;
    expect(await wire.ask('01 03 0000 0001')).to.equal('0103020005');
    expect(await wire.ask('02 03 0000 0001')).to.equal('0203020006');
    expect(await wire.ask('01 03 0000 0002')).to.equal('018302');
    expect(await wire.ask('01 06 0000 0009')).to.equal('010600000009');
    expect(server.written.map(({ writes, options }) => [writes[0]!.value, options.from])).to.deep.equal([
      [9, wire.cable.near],
    ]);
    expect(server.app.clients()).to.have.length(1);
    expect(server.app.clients()[0]).to.include({
      name: 'The master (4 requests, 1 exceptions)',
      address: wire.cable.near,
    });
  });

  itWithSerialPort('has requests in pieces, and what is for others is passed over', async () => {
    await using both = await Line.open();
    const { server, wire } = both;
    const request = frame('01 03 0000 0001');
    wire.say(request.subarray(0, 3));
    await new Promise((resolve) => setTimeout(resolve, 10));
    wire.say(request.subarray(3));
    await until('it is answered', () => wire.heard === frame('01 03 02 0005').toString('hex'));
    // Another unit, its answer, which looks like a request to write, and one without a sound checksum.
    wire.say(Buffer.concat([frame('03 06 0000 0007'), frame('03 06 0000 0007')]));
    await until('it is passed over', () => (server.record.counts.get('recv_bytes') ?? 0) >= 24);
    expect(await wire.ask('02 03 0000 0001')).to.equal('0203020006');
    wire.say(Buffer.concat([frame('01 06 0000 0001').subarray(0, 6), Buffer.from('ffff', 'hex')]));
    await until('it is dropped', () => server.record.counts.get('malformed_frames') === 1);
    expect(await wire.ask('01 03 0000 0001')).to.equal('0103020005');
    expect(server.written).to.deep.equal([]);
  });

  itWithSerialPort('obeys a broadcast in silence, and says nothing of units that are not there', async () => {
    await using both = await Line.open();
    const { server, wire } = both;
    wire.say(frame('00 06 0000 0007'));
    await until('both units obey', () => server.written.length === 2);
    wire.say(frame('00 03 0000 0001'));
    wire.say(frame('09 03 0000 0001'));
    await until('it has come', () => (server.record.counts.get('recv_bytes') ?? 0) >= 24);
    expect(await wire.ask('01 03 0000 0001')).to.equal('0103020007');
    expect(wire.heard).to.equal(frame('01 03 02 0007').toString('hex'));
  });

  itWithSerialPort('is not disturbed by answers that are late', async () => {
    await using both = await Line.open({ write_timeout: 400 });
    const { server, wire } = both;
    let confirm: () => void = () => undefined;
    server.answer = () => new Promise((resolve) => (confirm = () => resolve([undefined])));
    wire.say(frame('01 06 0000 0007'));
    await until('it is written', () => server.written.length === 1);
    // The master has given up and asks another slave.
    wire.say(frame('03 03 0000 0001'));
    await until('it has come', () => (server.record.counts.get('recv_bytes') ?? 0) >= 16);
    confirm();
    await until('the answer is late', () => server.record.counts.get('late_answers_total') === 1);
    expect(wire.heard).to.equal('');
    // In silence, an exception is sent at the time limit.
    server.answer = () => new Promise(() => undefined);
    expect(await wire.ask('01 06 0000 0008')).to.equal('01860b');
    server.answer = () => Promise.resolve([new Fault(ErrorCode.WRITE_FAILED)]);
    expect(await wire.ask('01 06 0000 0008')).to.equal('018604');
  });

  itWithSerialPort('comes back after its adapter was pulled out', async () => {
    await using both = await Line.open();
    const { server, wire } = both;
    await wire.cable.unplug();
    await until('the port is gone', () => statesOf(server.record).at(-1) === LinkState.DISCONNECTED);
    expect(server.app.clients()).to.deep.equal([]);
    await wire.cable.plug();
    await until('it is open again', () => statesOf(server.record).at(-1) === LinkState.CONNECTED);
    expect(await wire.ask('01 03 0000 0001')).to.equal('0103020005');
  });

  itWithSerialPort('belongs to one node', async () => {
    await using both = await Line.open();
    const settings = { medium: 1, device: both.wire.cable.near, baud: 3 };
    const refusal: unknown = await TestServer.start(lines, settings, both.server.exclusive).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.be.an.instanceOf(Fault);
    expect((refusal as Fault).message).to.match(/^Another Modbus Server has the port/);
  });

  const hasMbpoll = spawnSync('mbpoll', ['-V'], { stdio: 'ignore' }).status === 0;
  (hasMbpoll ? itWithSerialPort : it.skip)('mbpoll reads and writes on it', async () => {
    await using cable = await SerialCable.open('port');
    await using server = await TestServer.start(lines, { medium: 1, device: cable.near, baud: 3 });
    server.take(values);
    await until('the port is open', () => statesOf(server.record).at(-1) === LinkState.CONNECTED);
    const options = ['-m', 'rtu', '-b', '19200', '-P', 'none', '-a', '1', '-0', '-1', '-r', '0'];
    expect(await mbpoll([...options, '-t', '4', cable.far])).to.match(/\[0\]:\s+5/);
    await mbpoll([...options, '-t', '4', cable.far, '77']);
    expect(server.written.map(({ writes }) => writes[0]!.value)).to.deep.equal([77]);
  });
});
