import { expect } from 'chai';
import { expectRecovery, fuzzProtocol } from '@tagway/testkit';
import { mostBytes } from '../src/protocol.ts';
import { Session } from '../src/session.ts';
import { openFixture, pointsOf } from './fixture.ts';
import { frameOf } from './simulator.ts';

const rounds = 4000;

describe('anything that may come', function () {
  this.timeout(60_000);

  for (const kind of ['random bytes', 'mutated frames'] as const) {
    it(`${rounds} times ${kind}, cut anywhere: nothing is thrown and little is kept`, () => {
      const real = [
        frameOf(1, 3, Buffer.alloc(40, 7)),
        frameOf(1, 0x83, Buffer.of(2)),
        frameOf(255, 1, Buffer.alloc(0)),
      ];
      const session = new Session(() => undefined);
      const fed = fuzzProtocol(session, undefined, rounds, kind === 'random bytes' ? [] : real);
      expect(fed.kept, 'bytes kept').to.be.below(2 * mostBytes);
      if (kind === 'mutated frames') expect(fed.frames, 'some frames were still good').to.be.above(100);
    });
  }

  it('a device that sends anything is read again once it is sane', async () => {
    await using fixture = await openFixture();
    const { simulator } = fixture;
    simulator.replies.set('1!3', Buffer.of(0, 3)).set('1!4', Buffer.of(0, 4));
    const points = pointsOf('3!0', '4!0', '5!0');
    await expectRecovery(fixture, points, [3, 4], (ms) => (fixture.record.clockOffset += ms));
  });
});
