import { expect } from 'chai';
import { expectRecovery, fuzzProtocol, pointsOf } from '@tagway/testkit';
import { mostBytes } from '../src/protocol.ts';
import { Session } from '../src/session.ts';
import { openFixture } from './fixture.ts';

const rounds = 4000;
const nodes = { client: 0xef, server: 0x0a };
const real = [
  '46494e53000000100000000100000000000000ef0000000a',
  '46494e530000001a0000000200000000c000020000ef00000a000101010000000500060007',
  '46494e53000000080000000300000003',
].map((frame) => Buffer.from(frame, 'hex'));

describe('anything that may come', function () {
  this.timeout(60_000);
  const session = new Session(0, { replied: () => undefined, broken: () => undefined });

  it('random bytes: nothing is thrown and little is kept', () => {
    expect(fuzzProtocol(session, nodes, rounds).kept).to.be.at.most(mostBytes);
  });

  it('mutated frames: nothing is thrown and little is kept', () => {
    const { frames, kept } = fuzzProtocol(session, nodes, rounds, real);
    expect(kept).to.be.at.most(mostBytes);
    expect(frames, 'some were still frames').to.be.above(100);
  });

  it('a PLC that sends anything is read again once it is sane', async () => {
    await using fixture = await openFixture();
    const { simulator } = fixture;
    const points = pointsOf('D0', 'D1', 'D500');
    simulator.d.set([1, 2]);
    await expectRecovery(fixture, points, [1, 2]);
  });
});
