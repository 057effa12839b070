import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import { expect } from 'chai';
import { pointsOf, until } from '@tagway/testkit';
import { PlcState } from '../src/protocol.ts';
import { answerFrame } from './simulator.ts';
import { variable } from './program.ts';
import { openFixture, type Fixture } from './fixture.ts';

const points = pointsOf(['0x4020,0', DataType.UINT16], ['MAIN.a', DataType.INT16]);
const good = [0, 1];
const gone = [ErrorCode.DISCONNECTED, ErrorCode.DISCONNECTED].map((code) => ({ fault: code }));
const silent = [ErrorCode.NO_RESPONSE, ErrorCode.NO_RESPONSE].map((code) => ({ fault: code }));

const open = (prepare: Parameters<typeof openFixture>[0] = () => undefined): Promise<Fixture> =>
  openFixture((device) => {
    device.add(variable('MAIN.a', 'INT', '0100'));
    prepare(device);
  });

describe('the link', () => {
  it('is up when the program answers, whatever its router has taken before', async () => {
    await using fixture = await open();
    expect(fixture.record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
    expect(await fixture.readings(points)).to.deep.equal(good);
  });

  it('tells that the program does not run, and reads it all the same', async () => {
    await using fixture = await open((device) => (device.state = PlcState.STOP));
    expect(await fixture.readings(points)).to.deep.equal(good);
    expect(fixture.record.logs).to.include(
      'The PLC program at 5.23.91.10.1.1:851 does not run (ADS state 6), so its values stand still.',
    );
  });

  const refusals = [
    ['error', /no route between 5\.23\.91\.10\.1\.1:851 and 10\.0\.0\.1\.1\.1 .*0x7.*add a route/],
    ['close', /closed.*no route for the AMS NetId 10\.0\.0\.1\.1\.1: add one/],
    ['silence', /did not answer in the handshake; .*no route for the AMS NetId 10\.0\.0\.1\.1\.1: add one/],
  ] as const;
  for (const [refusal, words] of refusals) {
    it(`says that a route is missing when the controller answers with ${refusal}, and connects once it is there`, async () => {
      await using fixture = await open((device) => Object.assign(device, { routes: [], refusal }));
      await until('the reason is reported', () => words.test(fixture.reason));
      expect(fixture.record.links.findLast(({ report }) => report.reason)?.report.step).to.equal('handshake');
      expect(await fixture.readings(points)).to.deep.equal(gone);
      fixture.simulator.routes = ['10.0.0.1.1.1'];
      await until('values come', async () => (await fixture.readings(points))[0] === 0);
    });
  }

  it('says that nothing runs at the AMS port, also when that comes later', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.amsPort = 852;
    expect(await fixture.readings(points)).to.deep.equal(gone);
    await until('the reason is reported', () =>
      /nothing runs at AMS port 5\.23\.91\.10\.1\.1:851/.test(fixture.reason),
    );
    fixture.simulator.amsPort = 851;
    await until('values come', async () => (await fixture.readings(points))[1] === 1);
  });

  it('has tags of a silent controller say so, and makes a new connection', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.answering = () => undefined;
    expect(await fixture.readings(points)).to.deep.equal(silent);
    await until('the connection is given up', async () => {
      await fixture.readings(points);
      return fixture.record.links.at(-1)?.state !== LinkState.CONNECTED;
    });
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[1] === 1);
  });

  it('drops a late answer and keeps the connection', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    let kept: Buffer | undefined;
    fixture.simulator.answering = (answer) => void (kept = Buffer.from(answer));
    expect(await fixture.readings(points)).to.deep.equal(silent);
    fixture.simulator.answering = (answer) => answer;
    (fixture.simulator.memory.get(0x4020) as Buffer).writeUInt16LE(7);
    if (kept !== undefined) fixture.simulator.push(kept);
    expect(await fixture.readings(points)).to.deep.equal([7, 1]);
    expect(fixture.record.counts.get('late_frames')).to.equal(1);
    expect(fixture.record.links.filter(({ state }) => state === LinkState.CONNECTED)).to.have.lengthOf(1);
  });

  it('takes frames in single bytes and several in one piece', async () => {
    await using fixture = await open((device) => (device.pieces = 1));
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.pieces = Infinity;
    let first: Buffer | undefined;
    fixture.simulator.answering = (answer) => {
      if (first === undefined) return void (first = answer);
      const both = Buffer.concat([answer, first]);
      first = undefined;
      return both;
    };
    const groups = [pointsOf(['0x4020,0', DataType.UINT16]), pointsOf(['0x4020,2', DataType.UINT16])];
    expect(await Promise.all(groups.map((group) => fixture.readings(group)))).to.deep.equal([[0], [0]]);
    fixture.simulator.answering = (answer) => answer;
  });

  it('loses a controller in mid-poll and half a frame with it, then goes on', async () => {
    await using fixture = await open();
    expect(await fixture.readings(points)).to.deep.equal(good);
    fixture.simulator.answering = (answer) => {
      fixture.simulator.push(answer.subarray(0, 20));
      setImmediate(() => fixture.simulator.disconnectAll());
      return undefined;
    };
    expect(await fixture.readings(points)).to.deep.equal(gone);
    fixture.simulator.answering = (answer) => answer;
    await until('values come', async () => (await fixture.readings(points))[1] === 1);
    expect(fixture.simulator.requests(4).length).to.be.greaterThan(1);
  });

  const damages: readonly (readonly [what: string, damage: (answer: Buffer, request: Buffer) => Buffer])[] = [
    ['garbage before a frame', (answer) => Buffer.concat([Buffer.from('HTTP/1.1 400'), answer])],
    ['a length that contradicts the header', (answer) => (answer.writeUInt32LE(1, 26), answer)],
    ['the answer to another command', (answer) => (answer.writeUInt16LE(3, 22), answer)],
    ['no data', (_, request) => answerFrame(request, 0, Buffer.alloc(0))],
    [
      'fewer bytes than it says',
      (_, request) => answerFrame(request, 0, Buffer.from('0000000010000000', 'hex')),
    ],
    ['fewer results than were asked for', (_, request) => answerFrame(request, 0, Buffer.alloc(12))],
  ];
  for (const [what, damage] of damages) {
    it(`ends the connection on ${what}, and goes on`, async () => {
      await using fixture = await open();
      expect(await fixture.readings(points)).to.deep.equal(good);
      fixture.simulator.answering = (answer, request) =>
        request.readUInt16LE(22) === 4 ? answer : damage(answer, request);
      const malformed = { fault: ErrorCode.DECODE_FAILED };
      expect(await fixture.readings(points)).to.deep.equal([malformed, malformed]);
      fixture.simulator.answering = (answer) => answer;
      await until('values come', async () => (await fixture.readings(points))[1] === 1);
      expect(fixture.record.counts.get('malformed_frames')).to.be.greaterThan(0);
    });
  }

  it('passes over frames for others', async () => {
    await using fixture = await open();
    fixture.simulator.answering = (answer) => {
      const other = Buffer.from(answer);
      other.writeUInt8(99, 6);
      return Buffer.concat([other, answer]);
    };
    expect(await fixture.readings(points)).to.deep.equal(good);
    expect(fixture.record.counts.get('foreign_frames')).to.be.greaterThan(0);
  });
});
