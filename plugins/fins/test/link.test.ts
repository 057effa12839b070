import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { pointsOf, readings, until } from '@tagway/testkit';
import { plantOf } from './plant.ts';
import { Simulator } from './simulator.ts';

const points = pointsOf('D0', 'D1');
const all = (code: number): object[] => points.map(() => ({ fault: code }));

describe('the link', function () {
  this.timeout(30_000);

  it('takes the node addresses that the PLC assigns', async () => {
    const simulator = new Simulator();
    simulator.nodes = [33, 44];
    await using plant = await plantOf({}, simulator);
    await readings(plant.driver, points);
    const [, request = Buffer.alloc(0)] = plant.simulator.asked;
    expect([request[20], request[23]]).to.deep.equal([44, 33]);
  });

  it('says why when the PLC refuses the handshake', async () => {
    const simulator = new Simulator();
    simulator.refuses = 0x20;
    await using plant = await plantOf({}, simulator);
    const { driver, record } = plant;
    await until('the refusal is told', () => record.links.at(-1)?.report.step === 'handshake');
    expect(record.links.at(-1)).to.deep.include({ state: LinkState.DISCONNECTED });
    expect(record.links.at(-1)?.report.reason).to.contain('all its connections are in use');
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    simulator.refuses = 0;
    await until('it is connected', async () => (await readings(driver, points))[0] === 0);
  });

  it('says so when nothing answers in the handshake, or something else does', async () => {
    for (const script of [() => [], () => [Buffer.from('46494e530000000c0000000100000000000000ef', 'hex')]]) {
      const simulator = new Simulator();
      simulator.script = script;
      await using plant = await plantOf({}, simulator);
      await until('it is told', () => plant.record.links.at(-1)?.report.step === 'handshake');
    }
  });

  it('gives the tags of a silent PLC NO_RESPONSE, then ends the connection and finds it again', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    simulator.script = () => [];
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.NO_RESPONSE));
    await until('the link is down', async () => {
      await readings(driver, points);
      return record.links.at(-1)?.state === LinkState.DISCONNECTED;
    });
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
    expect(record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
  });

  it('does not take a late reply for that of another request', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    simulator.d.set([5, 6]);
    let late: (() => void) | undefined;
    simulator.script = (_frame, usual, send) => {
      const reply = usual();
      late = () => send(reply);
      return [];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.NO_RESPONSE));
    simulator.d.set([7, 8]);
    simulator.script = (_frame, usual) => {
      late?.();
      late = undefined;
      return [usual()];
    };
    expect(await readings(driver, points)).to.deep.equal([7, 8]);
    expect(record.counts.get('late_frames')).to.equal(1);
    expect(simulator.connections, 'the connection is kept').to.equal(1);
  });

  it('takes half a frame and the rest, two frames at once, and single bytes', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    simulator.d.set([5, 6]);
    simulator.script = (_frame, usual) => Array.from(usual(), (byte) => Buffer.of(byte));
    expect(await readings(driver, points), 'single bytes').to.deep.equal([5, 6]);
    simulator.script = (_frame, usual, send) => {
      const reply = usual();
      setTimeout(() => send(reply.subarray(11)), 50);
      return [reply.subarray(0, 11)];
    };
    expect(await readings(driver, points), 'halves').to.deep.equal([5, 6]);
    simulator.script = (_frame, usual) => {
      const reply = usual();
      return [Buffer.concat([reply, reply])];
    };
    expect(await readings(driver, points), 'twice at once').to.deep.equal([5, 6]);
    expect(await readings(driver, points), 'and again').to.deep.equal([5, 6]);
    expect(record.counts.get('foreign_frames')).to.be.at.least(1);
  });

  it('drops the connection at garbage, and at a reply that does not fit', async () => {
    await using plant = await plantOf();
    const { simulator, driver } = plant;
    simulator.script = (_frame, usual) => [Buffer.concat([Buffer.from('noise'), usual()])];
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DECODE_FAILED));
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
    const { connections } = simulator;
    simulator.script = (frame, usual) => {
      const reply = usual();
      if (frame.readUInt32BE(8) !== 2) return [reply];
      reply.writeUInt32BE(reply.readUInt32BE(4) - 2, 4);
      return [reply.subarray(0, -2)];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DECODE_FAILED));
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
    expect(simulator.connections).to.be.above(connections);
  });

  it('heeds the notice of an error', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    simulator.script = () => [Buffer.from('46494e53000000080000000300000003', 'hex')];
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    expect(
      record.links.some(({ report }) => report.reason?.includes('a command is not supported') === true),
    ).to.equal(true);
  });

  it('survives a PLC that restarts in the middle of a poll', async () => {
    await using plant = await plantOf();
    const { simulator, driver, record } = plant;
    expect(await readings(driver, points)).to.deep.equal([0, 0]);
    simulator.script = () => {
      simulator.cut();
      return [];
    };
    expect(await readings(driver, points)).to.deep.equal(all(ErrorCode.DISCONNECTED));
    const { port } = simulator;
    await simulator.close();
    await until('the link is down', () => record.links.at(-1)?.state === LinkState.DISCONNECTED);
    simulator.script = undefined;
    await simulator.listen(port);
    await until('values come again', async () => (await readings(driver, points))[0] === 0);
  });
});
