import { expect } from 'chai';
import { FrameSplitter } from '@tagway/sdk/link';
import { mutate, pointsOf, randomOf, readings, until } from '@tagway/words/test';
import { FinsSession } from '../src/session.ts';
import { plantOf } from './plant.ts';

const rounds = 4000;

describe('anything that may come', function () {
  this.timeout(60_000);

  for (const kind of ['random bytes', 'mutated frames'] as const) {
    it(`${rounds} times ${kind}, cut anywhere: nothing is thrown and little is kept`, () => {
      const random = randomOf(20_260_301);
      const real = [
        Buffer.from('46494e53000000100000000100000000000000ef0000000a', 'hex'),
        Buffer.from('46494e530000001a0000000200000000c000020000ef00000a000101010000000500060007', 'hex'),
        Buffer.from('46494e53000000080000000300000003', 'hex'),
      ];
      let replies = 0;
      let longest = 0;
      const session = new FinsSession(0, { replied: () => void replies++, broken: () => undefined });
      const splitter = new FrameSplitter(session, {
        frame: (data, at, end) => session.frame({ client: 1, server: 2 }, data, at, end),
        skipped: () => undefined,
        invalid: () => void splitter.reset(),
      });
      for (let round = 0; round < rounds; round++) {
        const bytes =
          kind === 'random bytes'
            ? Buffer.from(Array.from({ length: random(200) }, () => random(256)))
            : mutate(real[random(real.length)] as Buffer, random);
        for (let at = 0; at < bytes.length;) {
          const end = Math.min(bytes.length, at + 1 + random(60));
          splitter.take(bytes.subarray(at, end), end - at);
          at = end;
        }
        if (round % 10 === 0) longest = Math.max(longest, splitter.reset());
      }
      expect(longest, 'bytes kept').to.be.below(4096);
      if (kind === 'mutated frames') expect(replies, 'some frames were still good').to.be.above(100);
    });
  }

  it('a PLC that sends anything is read again once it is sane', async () => {
    await using plant = await plantOf();
    const { simulator, driver } = plant;
    const random = randomOf(7);
    const points = pointsOf('D0', 'D1', 'D500');
    simulator.d.set([1, 2]);
    simulator.script = (_frame, usual) => {
      const bytes = random(4) === 0 ? usual() : mutate(usual(), random);
      const cut = random(bytes.length + 1);
      return [bytes.subarray(0, cut), bytes.subarray(cut)];
    };
    for (const end = performance.now() + 3000; performance.now() < end;) await readings(driver, points);
    simulator.script = undefined;
    await until('values come', async () => {
      const [first, second] = await readings(driver, points);
      return first === 1 && second === 2;
    });
  });
});
