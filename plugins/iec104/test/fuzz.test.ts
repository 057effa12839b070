import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { randomOf, until } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { rawFrame, sequenceOf, sFrame, Station, U, uFrame, unitOf, type Visit } from './station.ts';

describe('a station that sends anything', function () {
  this.timeout(60_000);
  const points = pointsOf(
    ...Array.from(
      { length: 100 },
      (_, at) => [at + 1, at % 2 === 0 ? DataType.FLOAT : DataType.BIT] as const,
    ),
  );
  const types = [
    1, 3, 5, 7, 9, 11, 13, 15, 21, 30, 31, 32, 33, 34, 35, 36, 37, 45, 50, 70, 100, 101, 103, 110, 255,
  ];

  for (const kind of ['random', 'mutated'] as const) {
    it(`by 4000 ${kind} frames: nothing throws, memory is bounded, and a sane station is heard afterwards`, async () => {
      const random = randomOf(kind === 'random' ? 104 : 60_870);
      const octets = (count: number): number[] => Array.from({ length: count }, () => random(256));
      await using station = await Station.start();
      station.add(13, 1, 0, 0, 0x80, 0x3f, 0);
      await using fixture = await Fixture.connected(station.port, {
        t0: 2,
        t1: 2,
        t2: 1,
        t3: 2,
        counter_interval: 1,
      });
      fixture.record.sleepSpeed = 100;
      const report = fixture.watch(points);

      const wrong = (visit: Visit): Buffer => {
        if (random(3) === 0) return Buffer.from(octets(1 + random(300)));
        if (random(2) === 0) return Buffer.from([0x68, 4 + random(250), ...octets(random(250))]);
        // Numbers are right, so that what is in the frame is looked at.
        const bytes = rawFrame(visit.vs, visit.vr, [types[random(types.length)]!, ...octets(random(240))]);
        visit.vs = (visit.vs + 1) % 32768;
        return bytes;
      };
      const right = (visit: Visit): Buffer => {
        const one = random(6);
        if (one === 0) return uFrame([U.TEST, U.TESTED, U.STARTED][random(3)]!);
        if (one === 1) return sFrame(visit.vr);
        const unit =
          one < 4
            ? unitOf(36, 3, [[1 + random(100), ...octets(12)]])
            : sequenceOf(1, 20, 1 + random(90), [[random(2)], [random(2)]]);
        const bytes = rawFrame(visit.vs, visit.vr, unit);
        visit.vs = (visit.vs + 1) % 32768;
        return bytes;
      };
      const mutated = (visit: Visit): Buffer => {
        const bytes = Buffer.from(right(visit));
        if (random(3) === 0) bytes[random(bytes.length)] = random(256);
        return random(10) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
      };

      const before = process.memoryUsage().heapUsed;
      let sent = 0;
      const end = performance.now() + 40_000;
      while (sent < 4000 && performance.now() < end) {
        const visit = station.visits.at(-1);
        if (visit === undefined || visit.isClosed || !visit.isStarted) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          continue;
        }
        for (let count = 0; count < 20 && sent < 4000; count++, sent++) {
          const bytes = kind === 'random' ? wrong(visit) : mutated(visit);
          const cut = random(bytes.length + 1);
          visit.raw(bytes.subarray(0, cut));
          if (random(4) === 0) await new Promise(setImmediate);
          visit.raw(bytes.subarray(cut));
        }
        await new Promise(setImmediate);
      }
      expect(sent).to.equal(4000);
      expect(process.memoryUsage().heapUsed - before).to.be.below(100e6);
      for (const { socket } of station.visits) socket.destroy();
      await until(
        'a sane station is heard',
        async () => fixture.isUp && (await fixture.read(points.slice(0, 1))) instanceof Array,
      );
      await until('its value is there', () => report.latest[0] === 1);
    });
  }
});
