import { DataType, Quality, type Values } from '@tagway/sdk';
import { faultsByCode } from '@tagway/sdk/link';
import { type Cache, Kind } from './cache.ts';
import { invalid, noState, notFinite, outOfRange, wrongType } from './faults.ts';
import { asduHeaderSize } from './protocol.ts';
import { isTimeInvalid, readTime, timeSize } from './time.ts';

/** The protocol's own flags in the high half of a quality. */
export const OwnQuality = {
  /** The counter ran over in the period that was counted (CY). */
  CARRY: 0x0001_0000,
  /** The counter was set since it was read last (CA). */
  ADJUSTED: 0x0002_0000,
  /** The step position is between two steps (transient). */
  TRANSIENT: 0x0004_0000,
} as const;

/** Bits of quality octets (IEC 60870-5-101, 7.2.6.1 to 7.2.6.4). */
const Bit = { OVERFLOW: 0x01, BLOCKED: 0x10, SUBSTITUTED: 0x20, NOT_TOPICAL: 0x40, INVALID: 0x80 } as const;

/** Bits of the fifth octet of a counter (7.2.6.9). */
const CounterBit = { CARRY: 0x20, ADJUSTED: 0x40, INVALID: 0x80 } as const;

const transientBit = 0x80;

interface Format {
  /** As the standard has it, such as M_SP_NA_1. */
  readonly name: string;
  readonly kind: Kind;
  /** Octets of the information element, without the time. */
  readonly size: number;
  readonly hasTime: boolean;
}

/** Monitored types by their identification (IEC 60870-5-101, 7.3.1; those of the companion standard 104 with CP56Time2a). */
const formats = new Map<number, Format>();

function addFormat(type: number, name: string, kind: Kind, size: number, hasTime = false): void {
  formats.set(type, { name, kind, size, hasTime });
}

addFormat(1, 'M_SP_NA_1', Kind.SINGLE, 1);
addFormat(30, 'M_SP_TB_1', Kind.SINGLE, 1, true);
addFormat(3, 'M_DP_NA_1', Kind.DOUBLE, 1);
addFormat(31, 'M_DP_TB_1', Kind.DOUBLE, 1, true);
addFormat(5, 'M_ST_NA_1', Kind.STEP, 2);
addFormat(32, 'M_ST_TB_1', Kind.STEP, 2, true);
addFormat(7, 'M_BO_NA_1', Kind.BIT_STRING, 5);
addFormat(33, 'M_BO_TB_1', Kind.BIT_STRING, 5, true);
addFormat(9, 'M_ME_NA_1', Kind.NORMALIZED, 3);
addFormat(34, 'M_ME_TD_1', Kind.NORMALIZED, 3, true);
addFormat(11, 'M_ME_NB_1', Kind.SCALED, 3);
addFormat(35, 'M_ME_TE_1', Kind.SCALED, 3, true);
addFormat(13, 'M_ME_NC_1', Kind.SHORT_FLOAT, 5);
addFormat(36, 'M_ME_TF_1', Kind.SHORT_FLOAT, 5, true);
addFormat(15, 'M_IT_NA_1', Kind.COUNTER, 5);
addFormat(37, 'M_IT_TB_1', Kind.COUNTER, 5, true);
/** Normalized without a quality. */
const bareNormalized = 21;
addFormat(bareNormalized, 'M_ME_ND_1', Kind.NORMALIZED, 2);

/** Octets of a normalized value in a step from -1 to 1. */
const normalizedScale = 32_768;

export function isMonitored(type: number): boolean {
  return formats.has(type);
}

/** How one information element of a monitored type lies in an ASDU, for explaining it; undefined for other types. */
export function elementOf(type: number):
  | {
      readonly name: string;
      /** Octets with the time. */
      readonly size: number;
      valueAt(data: Buffer, at: number): number;
    }
  | undefined {
  const format = formats.get(type);
  if (format === undefined) return undefined;
  const { name, kind, size, hasTime } = format;
  return {
    name,
    size: size + (hasTime ? timeSize : 0),
    valueAt: (data, at) => valueOf(kind, data, at),
  };
}

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
  const format = formats.get(type);
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
  cache.set(slot, kind, type, value, quality, (descriptor & Bit.INVALID) !== 0, time);
}

/** The value of an information element. */
function valueOf(kind: Kind, data: Buffer, at: number): number {
  const first = data[at]!;
  switch (kind) {
    case Kind.SINGLE:
      return first & 1;
    case Kind.DOUBLE:
      return first & 3;
    case Kind.STEP:
      // Seven bits with a sign.
      return ((first & 0x7f) << 25) >> 25;
    case Kind.BIT_STRING:
      return data.readUInt32LE(at);
    case Kind.NORMALIZED:
      return data.readInt16LE(at) / normalizedScale;
    case Kind.SCALED:
      return data.readInt16LE(at);
    case Kind.SHORT_FLOAT:
      return data.readFloatLE(at);
    case Kind.COUNTER:
      return data.readInt32LE(at);
    default:
      return 0;
  }
}

function qualityOf(descriptor: number): number {
  let quality = 0;
  if ((descriptor & Bit.NOT_TOPICAL) !== 0) quality |= Quality.STALE;
  if ((descriptor & Bit.SUBSTITUTED) !== 0) quality |= Quality.SUBSTITUTED;
  if ((descriptor & Bit.BLOCKED) !== 0) quality |= Quality.BLOCKED;
  if ((descriptor & Bit.OVERFLOW) !== 0) quality |= Quality.OVERFLOW;
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
  const { name, kind } = formats.get(reported) ?? { name: 'a type', kind: Kind.NONE };
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
