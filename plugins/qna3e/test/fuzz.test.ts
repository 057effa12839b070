import { expect } from 'chai';
import { expectRecovery, fuzzProtocol, pointsOf } from '@tagway/testkit';
import { mostBytes, routeBytes } from '../src/protocol.ts';
import { Session } from '../src/session.ts';
import { TransportMode } from '../src/settings.ts';
import { openFixture } from './fixture.ts';

const rounds = 4000;
const real = [
  'd00000ffff030002000000',
  'd00000ffff030006000000ab560f17',
  'd00000ffff03000b0056c000ffff030001040000',
].map((frame) => Buffer.from(frame, 'hex'));

describe('anything that may come', function () {
  this.timeout(60_000);
  const route = routeBytes({ network: 0, pc: 0xff, module_io: 0x3ff, station: 0 });
  const session = new Session(route, () => undefined);

  it('random bytes: nothing is thrown and little is kept', () => {
    expect(fuzzProtocol(session, undefined, rounds).kept).to.be.at.most(mostBytes);
  });

  it('mutated frames: nothing is thrown and little is kept', () => {
    const { frames, kept } = fuzzProtocol(session, undefined, rounds, real);
    expect(kept).to.be.at.most(mostBytes);
    expect(frames, 'some were still frames').to.be.above(100);
  });

  for (const [name, transport_mode] of Object.entries(TransportMode))
    it(`a PLC that sends anything over ${name} is read again once it is sane`, async () => {
      await using fixture = await openFixture({ transport_mode });
      const { simulator } = fixture;
      const points = pointsOf('D0', 'D1', 'D500');
      simulator.d.set([1, 2]);
      await expectRecovery(fixture, points, [1, 2]);
    });
});
