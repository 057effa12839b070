import { Quality } from '@tagway/sdk';
import { SparkplugType } from './datatype.ts';
import { MetricKey } from './wire.ts';

/** What a metric's property "Quality" says; `UNSAID` leaves it out, which hosts take for good. */
export const Grade = { UNSAID: 0, GOOD: 1, STALE: 2, BAD: 3 } as const;
export type Grade = (typeof Grade)[keyof typeof Grade];

const stale = Quality.STALE | Quality.BLOCKED;
const bad = Quality.UNCERTAIN | Quality.OVERFLOW | Quality.OUT_OF_SERVICE;

/** Sparkplug has three qualities. Flags that do not speak against the value, such as an alarm, leave it good. */
export function gradeOf(quality: number): Grade {
  if ((quality & stale) !== 0) return Grade.STALE;
  return (quality & bad) !== 0 ? Grade.BAD : Grade.UNSAID;
}

/** A property set of one Int32, on the wire. Keys of its fields: Sparkplug 3.0, 6.4.8 and 6.4.9. */
function property(code: readonly number[]): Uint8Array {
  const key = Buffer.from('Quality');
  const value = [0x08, SparkplugType.INT32, 0x18, ...code];
  const set = [0x0a, key.length, ...key, 0x12, value.length, ...value];
  return Uint8Array.of(MetricKey.PROPERTIES, set.length, ...set);
}

/** By grade: the field with the quality's code, 192 good, 500 stale, 0 bad. */
export const properties: readonly Uint8Array[] = [
  new Uint8Array(0),
  property([0xc0, 0x01]),
  property([0xf4, 0x03]),
  property([0x00]),
];
