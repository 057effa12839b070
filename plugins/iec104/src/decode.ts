import { DataType, Quality, type Values } from '@tagway/sdk';
import {
  asduHeaderSize,
  bareNormalized,
  CounterBit,
  type Format,
  formatOf,
  isTimeInvalid,
  Kind,
  QualityBit,
  readTime,
  timeSize,
  transientBit,
  valueOf,
} from '@tagway/iec104';
import { faultsByCode } from '@tagway/sdk/link';
import type { Cache } from './cache.ts';
import { invalid, noState, notFinite, outOfRange, wrongType } from './faults.ts';

/** The protocol's own flags in the high half of a quality. */
export const OwnQuality = {
  /** The counter ran over in the period that was counted (CY). */
  CARRY: 0x0001_0000,
  /** The counter was set since it was read last (CA). */
  ADJUSTED: 0x0002_0000,
  /** The step position is between two steps (transient). */
  TRANSIENT: 0x0004_0000,
} as const;

/**
 * Stores the objects of the monitored ASDU `data[at, end)` in the cache and reports each slot. False: its length is not that of the objects
 * that it announces, and nothing was stored.
 */
export function decodeObjects(
  data: Buffer,
  at: number,
  end: number,
  cache: Cache,
  utcOffset: number,
  stored: (slot: number) => void,
): boolean {
  const type = data[at]!;
  const format = formatOf(type);
  if (format === undefined) return false;
  const qualifier = data[at + 1]!;
  const count = qualifier & 0x7f;
  const isSequence = (qualifier & 0x80) !== 0;
  const size = format.size + (format.hasTime ? timeSize : 0);
  let place = at + asduHeaderSize;
  if (end - place !== (isSequence ? 3 + count * size : count * (3 + size)) || count === 0) return false;
  let object = 0;
  if (isSequence) {
    object = data.readUIntLE(place, 3) - 1;
    place += 3;
  }
  for (let index = 0; index < count; index++) {
    if (isSequence) object++;
    else {
      object = data.readUIntLE(place, 3);
      place += 3;
    }
    const slot = cache.slotOf(object);
    if (slot >= 0) {
      storeElement(format, data, place, cache, slot, utcOffset, type);
      stored(slot);
    }
    place += size;
  }
  return true;
}

function storeElement(
  { kind, size, hasTime }: Format,
  data: Buffer,
  at: number,
  cache: Cache,
  slot: number,
  utcOffset: number,
  type: number,
): void {
  let descriptor = data[at + size - 1]!;
  let quality = 0;
  const value = valueOf(kind, data, at);
  switch (kind) {
    case Kind.SINGLE:
    case Kind.DOUBLE:
      descriptor &= 0xf0;
      break;
    case Kind.STEP:
      if ((data[at]! & transientBit) !== 0) quality = OwnQuality.TRANSIENT;
      break;
    case Kind.NORMALIZED:
      if (type === bareNormalized) descriptor = 0;
      break;
    case Kind.COUNTER:
      if ((descriptor & CounterBit.CARRY) !== 0) quality |= OwnQuality.CARRY;
      if ((descriptor & CounterBit.ADJUSTED) !== 0) quality |= OwnQuality.ADJUSTED;
      descriptor &= CounterBit.INVALID;
      break;
    default:
  }
  quality |= qualityOf(descriptor);
  let time = NaN;
  if (hasTime) {
    time = readTime(data, at + size, utcOffset);
    if (isTimeInvalid(data, at + size) || Number.isNaN(time)) quality |= Quality.TIME_INVALID;
  }
  cache.set(slot, kind, type, value, quality, (descriptor & QualityBit.INVALID) !== 0, time);
}

function qualityOf(descriptor: number): number {
  let quality = 0;
  if ((descriptor & QualityBit.NOT_TOPICAL) !== 0) quality |= Quality.STALE;
  if ((descriptor & QualityBit.SUBSTITUTED) !== 0) quality |= Quality.SUBSTITUTED;
  if ((descriptor & QualityBit.BLOCKED) !== 0) quality |= Quality.BLOCKED;
  if ((descriptor & QualityBit.OVERFLOW) !== 0) quality |= Quality.OVERFLOW;
  return quality;
}

const switches = (1 << Kind.SINGLE) | (1 << Kind.DOUBLE);
const words = (1 << Kind.BIT_STRING) | (1 << Kind.COUNTER);

/** Kinds of objects that a tag of a type can show, as bits. */
const shown: Readonly<Partial<Record<DataType, number>>> = {
  [DataType.BIT]: switches,
  [DataType.BOOL]: switches,
  [DataType.UINT8]: 1 << Kind.DOUBLE,
  [DataType.INT8]: 1 << Kind.STEP,
  [DataType.UINT32]: words,
  [DataType.INT32]: words,
  [DataType.UINT16]: 1 << Kind.SCALED,
  [DataType.INT16]: 1 << Kind.SCALED,
  [DataType.FLOAT]: (1 << Kind.NORMALIZED) | (1 << Kind.SHORT_FLOAT),
};

/** What is reported with a type that a tag cannot show: type identification * 256 + type of the tag. */
const mismatch = faultsByCode((code) => {
  const reported = code >> 8;
  const { name, kind } = formatOf(reported) ?? { name: 'a type', kind: Kind.NONE };
  const fitting = Object.values(DataType).filter((type) => ((shown[type] ?? 0) & (1 << kind)) !== 0);
  return wrongType(`${name} (${reported})`, fitting, (code & 0xff) as DataType);
});

/** Gives a point of this type the value of a slot. */
export function put(cache: Cache, slot: number, into: Values, index: number, type: DataType): void {
  const kind = cache.kinds[slot] as Kind;
  if (kind === Kind.NONE) return into.fault(index, cache.absenceOf(type));
  if (cache.invalid[slot] === 1) into.fault(index, invalid);
  else if (((shown[type] ?? 0) & (1 << kind)) === 0)
    into.fault(index, mismatch(cache.types[slot]! * 0x100 + type));
  else putValue(kind, cache.values[slot]!, into, index, type);
  const quality = cache.qualities[slot]!;
  const time = cache.times[slot]!;
  if (quality !== 0 || !Number.isNaN(time)) into.stamp(index, time, quality);
}

function putValue(kind: Kind, value: number, into: Values, index: number, type: DataType): void {
  const isUnsigned = type === DataType.UINT16 || type === DataType.UINT32;
  if (kind === Kind.DOUBLE && type !== DataType.UINT8) {
    if (value === 1 || value === 2) into.number(index, value - 1);
    else into.fault(index, noState);
  } else if (kind === Kind.BIT_STRING && type === DataType.INT32) {
    // Bits have no sign: all 32 of them are shown.
    into.number(index, value | 0);
  } else if (isUnsigned && value < 0) into.fault(index, outOfRange);
  else if (!Number.isFinite(value)) into.fault(index, notFinite);
  else into.number(index, value);
}
