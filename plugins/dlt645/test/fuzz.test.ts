import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { expectRecovery, mutate, randomOf } from '@tagway/testkit';
import { addressBytes, frameOf } from '../src/protocol.ts';
import { Reply } from '../src/reply.ts';
import { own, openFixture, pointsOf } from './fixture.ts';

const rounds = 4000;

describe('anything that may come', function () {
  this.timeout(60_000);

  for (const kind of ['random bytes', 'mutated frames'] as const) {
    it(`${rounds} times ${kind}, cut anywhere: nothing is thrown and little is kept`, () => {
      const random = randomOf(20_260_404);
      const address = addressBytes(own);
      const real = [
        frameOf(address, 0x91, Buffer.from('000101020522', 'hex')),
        frameOf(address, 0xb1, Buffer.from('00010102'.padEnd(400, '1'), 'hex')),
        frameOf(address, 0xd1, Buffer.of(2)),
        frameOf(addressBytes('210220003011'), 0x91, Buffer.from('000101020522', 'hex')),
      ];
      const answers = new Reply(() => undefined);
      const room = answers.data.length;
      const outcomes = { waiting: 0, answered: 0, damaged: 0 };
      for (let round = 0; round < rounds; round++) {
        if (round % 7 === 0)
          answers.expect({
            address,
            control: 0x11,
            identifier: 0x02_01_01_00,
            sequence: 0,
            errorIsOurs: () => true,
          });
        const bytes =
          kind === 'random bytes'
            ? Buffer.from(
                Array.from({ length: random(900) }, () => [0x68, 0x16, random(256)][random(3)] as number),
              )
            : mutate(real[random(real.length)] as Buffer, random);
        for (let at = 0; at < bytes.length;) {
          const end = Math.min(bytes.length, at + 1 + random(60));
          const outcome = answers.take(bytes.subarray(at, end), end - at);
          outcomes[outcome]++;
          if (outcome === 'answered')
            expect(answers.end).to.be.within(answers.error < 0 ? answers.start : 0, room);
          at = end;
        }
      }
      expect(answers.data.length, 'room').to.equal(room);
      if (kind === 'mutated frames')
        expect(outcomes.answered, 'some frames were still good').to.be.above(100);
    });
  }

  it('meters that send anything are read again once they are sane', async () => {
    await using fixture = await openFixture({ timeout: 200 });
    const { simulator, record } = fixture;
    simulator.meter(own, { '02-01-01-00': '05 22', '01-01-00-00': '45 23 01 45 13 31 05 24' });
    const points = pointsOf('02-01-01-00', ['01-01-00-00#T', DataType.STRING], '09-00-00-00');
    await expectRecovery(fixture, points, [2205, '2024-05-31 13:45'], (ms) => (record.clockOffset += ms));
  });
});
