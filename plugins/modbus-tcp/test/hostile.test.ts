import { expect } from 'chai';
import { DataType } from '@tagway/sdk';
import { callOf, pointsOf, randomOf, until, ValuesRecorder } from '@tagway/testkit';
import { frame } from './device.ts';
import { openFixture } from './fixture.ts';

/** Answers of every sort of wrongness, and right ones among them. */
function hostileAnswers(seed: number) {
  const random = randomOf(seed);
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random(256)));
  return (id: number, unit: number, pdu: Buffer): Buffer[] => {
    const whole = frame(id, unit, pdu);
    const spoilt = Buffer.from(whole);
    spoilt[random(spoilt.length)] = random(256);
    const kinds: (() => Buffer[])[] = [
      () => [whole],
      () => [spoilt],
      () => [bytes(1 + random(300))],
      () => [whole.subarray(0, random(whole.length))],
      () => [frame(id, unit, bytes(1 + random(253)))],
      () => [frame(random(65_536), random(256), pdu)],
      () => [frame(id, unit, Buffer.from([pdu[0]! | 0x80, random(256)]))],
      () => [whole, whole],
      () => Array.from(whole, (byte) => Buffer.from([byte])),
      () => Array.from({ length: 20 }, (_, index) => frame(id + index, unit, pdu)),
      () => [],
    ];
    return kinds[random(kinds.length)]!();
  };
}

describe('a device that sends anything', function () {
  this.timeout(60_000);
  const points = pointsOf(
    ...Array.from({ length: 300 }, (_, index) => `1!4${index + 1}`),
    ['1!400401.20H', DataType.STRING],
    ['1!300001.8', DataType.BYTES],
    ['1!000001', DataType.BIT],
    '2!400001',
  );

  for (const transport of ['TCP', 'UDP'] as const) {
    it(`over ${transport}: nothing throws out of a socket, and a sane device is read again afterwards`, async () => {
      await using fixture = await openFixture({
        transport_mode: transport === 'UDP' ? 1 : 0,
        max_in_flight: 8,
      });
      const { device, driver, record } = fixture;
      const answers = hostileAnswers(20_240_501);
      let sent = 0;
      device.script = (request, usual) => {
        for (const bytes of answers(request.id, request.unit, usual())) {
          request.send(bytes);
          sent++;
        }
        return undefined;
      };
      record.shortWaits = true;
      // Cycles without a connection end at once, so the time is limited and not their number.
      const end = performance.now() + 25_000;
      while (sent < 4000 && performance.now() < end) {
        // Silence would cost a second each time, so a cycle in which nothing else happens is cut short.
        await Promise.resolve(
          driver.read(points, new ValuesRecorder(), callOf('poll', AbortSignal.timeout(20))),
        ).catch(() => undefined);
        await new Promise(setImmediate);
      }
      expect(sent).to.be.at.least(4000);
      if (transport === 'TCP')
        expect(device.connections, 'some of it was worth a new connection').to.be.above(10);
      device.script = (_request, usual) => usual();
      await until('every point has its value', async () => {
        record.clockOffset += 400_000;
        const readings = await fixture.read(points);
        return readings.slice(0, 300).every((reading, index) => reading === index) && readings[302] === 1;
      });
    });
  }
});
