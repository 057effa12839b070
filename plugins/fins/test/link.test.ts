import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { faultsOf, pointsOf, readings, until, untilRead } from '@tagway/testkit';
import { testsOfFraming } from '@tagway/plc-words/test';
import { openFixture } from './fixture.ts';
import { Simulator } from './simulator.ts';

const points = pointsOf('D0', 'D1');
const values = [0, 0];

describe('the link', function () {
  this.timeout(30_000);

  it('takes the node addresses that the PLC assigns', async () => {
    const simulator = new Simulator();
    simulator.nodes = [33, 44];
    await using fixture = await openFixture({}, simulator);
    await readings(fixture.driver, points);
    const [, request = Buffer.alloc(0)] = fixture.simulator.requests;
    expect([request[20], request[23]]).to.deep.equal([44, 33]);
  });

  it('says why when the PLC refuses the handshake', async () => {
    const simulator = new Simulator();
    simulator.refuses = 0x20;
    await using fixture = await openFixture({}, simulator);
    const { driver, record } = fixture;
    await until('the refusal is told', () => record.links.at(-1)?.report.step === 'handshake');
    expect(record.links.at(-1)).to.deep.include({ state: LinkState.DISCONNECTED });
    expect(record.links.at(-1)?.report.reason).to.contain('all its connections are in use');
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
    simulator.refuses = 0;
    await untilRead(driver, points, values);
  });

  it('says so when nothing answers in the handshake, or something else does', async () => {
    for (const script of [() => [], () => [Buffer.from('46494e530000000c0000000100000000000000ef', 'hex')]]) {
      const simulator = new Simulator();
      simulator.script = script;
      await using fixture = await openFixture({}, simulator);
      await until('it is reported', () => fixture.record.links.at(-1)?.report.step === 'handshake');
    }
  });

  it('gives the tags of a silent PLC NO_RESPONSE, then ends the connection and finds it again', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    simulator.script = () => [];
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.NO_RESPONSE));
    await until('the link is down', async () => {
      await readings(driver, points);
      return fixture.link === LinkState.DISCONNECTED;
    });
    simulator.script = undefined;
    await untilRead(driver, points, values);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('does not take a late reply for that of another request', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.d.set([5, 6]);
    const late = simulator.holdBack();
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.NO_RESPONSE));
    simulator.d.set([7, 8]);
    simulator.script = (_frame, usual) => {
      late();
      return [usual()];
    };
    expect(await readings(driver, points)).to.deep.equal([7, 8]);
    expect(record.counts.get('late_frames')).to.equal(1);
    expect(simulator.connections, 'the connection is kept').to.equal(1);
  });

  testsOfFraming(() => openFixture(), 11);

  it('drops the connection at a reply that does not fit', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    const { connections } = simulator;
    simulator.script = (frame, usual) => {
      const reply = usual();
      if (frame.readUInt32BE(8) !== 2) return [reply];
      reply.writeUInt32BE(reply.readUInt32BE(4) - 2, 4);
      return [reply.subarray(0, -2)];
    };
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DECODE_FAILED));
    simulator.script = undefined;
    await untilRead(driver, points, values);
    expect(simulator.connections).to.be.above(connections);
  });

  it('heeds the notice of an error', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.script = () => [Buffer.from('46494e53000000080000000300000003', 'hex')];
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
    expect(
      record.links.some(({ report }) => report.reason?.includes('a command is not supported') === true),
    ).to.equal(true);
  });
});
