import { expect } from 'chai';
import { expectRecovery, feed, pointsOf } from '@tagway/testkit';
import { mostBytes } from '../src/protocol.ts';
import { FinsSession } from '../src/session.ts';
import { plantOf } from './plant.ts';

const rounds = 4000;
const nodes = { client: 0xef, server: 0x0a };
const real = [
  '46494e53000000100000000100000000000000ef0000000a',
  '46494e530000001a0000000200000000c000020000ef00000a000101010000000500060007',
  '46494e53000000080000000300000003',
].map((frame) => Buffer.from(frame, 'hex'));

describe('anything that may come', function () {
  this.timeout(60_000);
  const session = new FinsSession(0, { replied: () => undefined, broken: () => undefined });

  it('random bytes: nothing is thrown and little is kept', () => {
    expect(feed(session, nodes, rounds).kept).to.be.at.most(mostBytes);
  });

  it('mutated frames: nothing is thrown and little is kept', () => {
    const { frames, kept } = feed(session, nodes, rounds, real);
    expect(kept).to.be.at.most(mostBytes);
    expect(frames, 'some were still frames').to.be.above(100);
  });

  it('a PLC that sends anything is read again once it is sane', async () => {
    await using plant = await plantOf();
    const { simulator } = plant;
    const points = pointsOf('D0', 'D1', 'D500');
    simulator.d.set([1, 2]);
    await expectRecovery(plant, points, [1, 2]);
  });
});
