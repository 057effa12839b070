import { Quality, type TagInfo } from '@tagway/sdk';
import { SparkplugType } from './datatype.ts';
import { bytesField, doubleField, MetricKey, numberField } from './wire.ts';

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

/** A property on the wire: its key and its value. Keys of the fields: Sparkplug 3.0, 6.4.8 and 6.4.9. */
type Property = readonly [key: string, value: Uint8Array];

const typed = (type: SparkplugType, field: Uint8Array): Uint8Array =>
  Buffer.concat([numberField(0x08, type), field]);
const textProperty = (key: string, text: string): Property => [
  key,
  typed(SparkplugType.STRING, bytesField(0x42, Buffer.from(text))),
];
const realProperty = (key: string, value: number): Property => [
  key,
  typed(SparkplugType.DOUBLE, doubleField(0x31, value)),
];
const qualityProperty = (code: number): Property => [
  'Quality',
  typed(SparkplugType.INT32, numberField(0x18, code)),
];

/** By grade: nothing, 192 good, 500 stale, 0 bad. */
const qualityProperties: readonly (readonly Property[])[] = [
  [],
  [qualityProperty(192)],
  [qualityProperty(500)],
  [qualityProperty(0)],
];

function fieldOf(properties: readonly Property[]): Uint8Array {
  if (properties.length === 0) return new Uint8Array(0);
  const keys = properties.map(([key]) => bytesField(0x0a, Buffer.from(key)));
  const values = properties.map(([, value]) => bytesField(0x12, value));
  return bytesField(MetricKey.PROPERTIES, Buffer.concat([...keys, ...values]));
}

/** By grade: the field with the quality alone. */
export const qualityFields: readonly Uint8Array[] = qualityProperties.map(fieldOf);

/** By grade: the field of a metric in a birth, with unit and span of the tag. */
export function birthFields({ unit, low, high }: TagInfo): readonly Uint8Array[] {
  if (unit === undefined && low === undefined) return qualityFields;
  const described: Property[] = [];
  if (unit !== undefined) described.push(textProperty('engUnit', unit));
  if (low !== undefined && high !== undefined)
    described.push(realProperty('engLow', low), realProperty('engHigh', high));
  return qualityProperties.map((quality) => fieldOf([...quality, ...described]));
}
