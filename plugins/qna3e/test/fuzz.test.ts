import { expect } from 'chai';
import { FrameSplitter } from '@tagway/sdk/link';
import { mutate, pointsOf, randomOf, readings, until } from '@tagway/words/test';
import { routeBytes } from '../src/protocol.ts';
import { Qna3eSession } from '../src/session.ts';
import { TransportMode } from '../src/settings.ts';
import { plantOf } from './plant.ts';

const rounds = 4000;

describe('anything that may come', function () {
  this.timeout(60_000);

  for (const kind of ['random bytes', 'mutated frames'] as const) {
    it(`${rounds} times ${kind}, cut anywhere: nothing is thrown and little is kept`, () => {
      const random = randomOf(20_260_302);
      const real = [
        Buffer.from('d00000ffff030002000000', 'hex'),
        Buffer.from('d00000ffff030006000000ab560f17', 'hex'),
        Buffer.from('d00000ffff03000b0056c000ffff030001040000', 'hex'),
      ];
      let replies = 0;
      let longest = 0;
      const route = routeBytes({ network: 0, pc: 0xff, module_io: 0x3ff, station: 0 });
      const session = new Qna3eSession(route, () => void replies++);
      const splitter = new FrameSplitter(session, {
        frame: (data, at, end) => session.frame(undefined, data, at, end),
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
      expect(longest, 'bytes kept').to.be.below(8192);
      if (kind === 'mutated frames') expect(replies, 'some frames were still good').to.be.above(100);
    });
  }

  for (const [name, transport_mode] of Object.entries(TransportMode))
    it(`a PLC that sends anything over ${name} is read again once it is sane`, async () => {
      await using plant = await plantOf({ transport_mode });
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
