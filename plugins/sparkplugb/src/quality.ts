import { Quality } from '@tagway/sdk';
import { SparkplugType } from './datatype.ts';
import { bytesField, MetricKey, numberField } from './wire.ts';

/** The property "Quality" of a metric. `OMITTED` leaves it out, which means good. */
export const Grade = { OMITTED: 0, GOOD: 1, STALE: 2, BAD: 3 } as const;
export type Grade = (typeof Grade)[keyof typeof Grade];

const stale = Quality.STALE | Quality.BLOCKED;
const bad = Quality.UNCERTAIN | Quality.OVERFLOW | Quality.OUT_OF_SERVICE;

/** Sparkplug has three qualities. Other flags, such as an alarm, leave the value good. */
export function gradeOf(quality: number): Grade {
  if ((quality & stale) !== 0) return Grade.STALE;
  return (quality & bad) !== 0 ? Grade.BAD : Grade.OMITTED;
}

/** A property set of one Int32, on the wire. Keys of its fields: Sparkplug 3.0, 6.4.8 and 6.4.9. */
function property(code: number): Uint8Array {
  const value = Buffer.concat([numberField(0x08, SparkplugType.INT32), numberField(0x18, code)]);
  const set = Buffer.concat([bytesField(0x0a, Buffer.from('Quality')), bytesField(0x12, value)]);
  return bytesField(MetricKey.PROPERTIES, set);
}

/** By grade: the field with the quality's code, 192 good, 500 stale, 0 bad. */
export const properties: readonly Uint8Array[] = [
  new Uint8Array(0),
  property(192),
  property(500),
  property(0),
];
