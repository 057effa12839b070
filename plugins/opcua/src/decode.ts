import { DataType, Quality, type Fault, isFault, type Values } from '@tagway/sdk';
import {
  DataType as UaType,
  type DataValue,
  StatusCodes,
  type Variant,
  VariantArrayType,
} from 'node-opcua-client';
import { notReady, outOfRange, readFault, typeMismatch } from './faults.ts';
import { tagTypes } from './value-types.ts';

/** The two highest bits of a status are its severity (OPC 10000-4, 7.39): 00 good, 01 uncertain, 10 bad. */
const bad = 0x8000_0000;
const uncertain = 0x4000_0000;
const goodLocalOverride = StatusCodes.GoodLocalOverride.value >>> 16;

/**
 * Stores one read or notified value, its source time and its quality. `isElement`: the address has an index, so the
 * server sends an array with that one element (OPC 10000-4, 7.27), or a text of one character.
 */
export function decode(
  into: Values,
  index: number,
  type: DataType,
  isElement: boolean,
  { statusCode, value, sourceTimestamp }: DataValue,
): void {
  const status = statusCode.value;
  if ((status & bad) !== 0) into.fault(index, readFault(statusCode));
  else store(into, index, type, isElement, value);
  const quality = qualityOf(status);
  if (sourceTimestamp || quality !== Quality.GOOD)
    into.stamp(index, sourceTimestamp?.getTime() ?? NaN, quality);
}

/** The high 16 bits of a status are its number (OPC 10000-4, 7.39); the low ones are not about the value. */
function qualityOf(status: number): number {
  const code = status >>> 16;
  if (code === 0) return Quality.GOOD;
  let flags: number = Quality.GOOD;
  if ((status & uncertain) !== 0) flags = Quality.UNCERTAIN;
  else if (code === goodLocalOverride) flags = Quality.OVERRIDDEN;
  return ((code << 16) | flags) >>> 0;
}

function store(
  into: Values,
  index: number,
  type: DataType,
  isElement: boolean,
  variant: Variant | null | undefined,
): void {
  if (!variant || variant.dataType === UaType.Null) return into.fault(index, notReady);
  const ua = variant.dataType;
  let value: unknown = variant.value;
  if (variant.arrayType !== VariantArrayType.Scalar) {
    const elements = value as ArrayLike<unknown> | null;
    if (!isElement || elements?.length !== 1) return into.fault(index, typeMismatch);
    value = elements[0];
  }
  const fits = type === DataType.BIT ? ua === UaType.Boolean : tagTypes[ua] === type;
  if (!fits) return into.fault(index, typeMismatch);
  switch (ua) {
    case UaType.Int64:
      return into.integer(index, BigInt.asIntN(64, wide(value)));
    case UaType.UInt64:
      return into.integer(index, wide(value));
    case UaType.Boolean:
      return into.number(index, value === true ? 1 : 0);
    case UaType.DateTime: {
      const seconds = secondsOf(value);
      return isFault(seconds) ? into.fault(index, seconds) : into.number(index, seconds);
    }
    case UaType.String:
      return into.text(index, typeof value === 'string' ? value : '');
    case UaType.LocalizedText:
      return into.text(index, (value as { readonly text?: string | null } | null)?.text ?? '');
    default:
      return into.number(index, value as number);
  }
}

/** 64-bit integers come as their high and their low word, both unsigned. */
function wide(value: unknown): bigint {
  const [high, low] = value as readonly [number, number];
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

function secondsOf(value: unknown): number | Fault {
  if (!(value instanceof Date)) return notReady;
  const seconds = Math.floor(value.getTime() / 1000);
  return seconds >= 0 && seconds <= 0xffff_ffff ? seconds : outOfRange;
}
