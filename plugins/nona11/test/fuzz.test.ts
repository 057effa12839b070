import { expect } from 'chai';
import { FrameSplitter } from '@tagway/sdk/link';
import { mutate, randomOf, readings, until } from '@tagway/words/test';
import { mostBytes } from '../src/protocol.ts';
import { NonA11Session } from '../src/session.ts';
import { plantOf, pointsOf } from './plant.ts';
import { frameOf } from './simulator.ts';

const rounds = 4000;

describe('anything that may come', function () {
  this.timeout(60_000);

  for (const kind of ['random bytes', 'mutated frames'] as const) {
    it(`${rounds} times ${kind}, cut anywhere: nothing is thrown and little is kept`, () => {
      const random = randomOf(20_260_405);
      const real = [
        frameOf(1, 3, Buffer.alloc(40, 7)),
        frameOf(1, 0x83, Buffer.of(2)),
        frameOf(255, 1, Buffer.alloc(0)),
      ];
      let answers = 0;
      let longest = 0;
      const session = new NonA11Session(() => void answers++);
      const splitter = new FrameSplitter(session, {
        frame: (data, at, end) => session.frame(undefined, data, at, end),
        skipped: () => undefined,
        invalid: () => void splitter.reset(),
      });
      for (let round = 0; round < rounds; round++) {
        const bytes =
          kind === 'random bytes'
            ? Buffer.from(Array.from({ length: random(200) }, () => (random(2) === 0 ? 0 : random(256))))
            : mutate(real[random(real.length)] as Buffer, random);
        for (let at = 0; at < bytes.length;) {
          const end = Math.min(bytes.length, at + 1 + random(60));
          splitter.take(bytes.subarray(at, end), end - at);
          at = end;
        }
        if (round % 10 === 0) longest = Math.max(longest, splitter.reset());
      }
      expect(longest, 'bytes kept').to.be.below(2 * mostBytes);
      if (kind === 'mutated frames') expect(answers, 'some frames were still good').to.be.above(100);
    });
  }

  it('a device that sends anything is read again once it is sane', async () => {
    await using plant = await plantOf();
    const { simulator, driver } = plant;
    const random = randomOf(7);
    simulator.answers.set('1!3', Buffer.of(0, 3)).set('1!4', Buffer.of(0, 4));
    const points = pointsOf('3!0', '4!0', '5!0');
    simulator.script = (_frame, usual) => {
      const bytes = random(4) === 0 ? usual() : mutate(usual(), random);
      const cut = random(bytes.length + 1);
      return [bytes.subarray(0, cut), bytes.subarray(cut)];
    };
    for (const end = performance.now() + 3000; performance.now() < end;) await readings(driver, points);
    simulator.script = undefined;
    await until('values come', async () => {
      plant.record.later += 60_000;
      const [first, second] = await readings(driver, points);
      return first === 3 && second === 4;
    });
  });
});
