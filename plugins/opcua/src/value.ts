import { DataType, Quality, type Fault, isFault, type Value, type Values } from '@tagway/sdk';
import {
  DataType as UaType,
  type DataValue,
  StatusCodes,
  type Variant,
  VariantArrayType,
  type VariantOptions,
} from 'node-opcua-client';
import { notReady, outOfRange, readFault, readOnlyText, typeMismatch } from './faults.ts';

/** The built-in type that a tag's type stands for when it is written. */
const written: Readonly<Partial<Record<DataType, UaType>>> = {
  [DataType.INT8]: UaType.SByte,
  [DataType.UINT8]: UaType.Byte,
  [DataType.INT16]: UaType.Int16,
  [DataType.UINT16]: UaType.UInt16,
  [DataType.INT32]: UaType.Int32,
  [DataType.UINT32]: UaType.UInt32,
  [DataType.INT64]: UaType.Int64,
  [DataType.UINT64]: UaType.UInt64,
  [DataType.FLOAT]: UaType.Float,
  [DataType.DOUBLE]: UaType.Double,
  [DataType.BIT]: UaType.Boolean,
  [DataType.BOOL]: UaType.Boolean,
  [DataType.STRING]: UaType.String,
};

/** The types of tags by the built-in type of the server's value; BIT reads a Boolean too. */
const tagTypes: Readonly<Partial<Record<UaType, DataType>>> = {
  ...Object.fromEntries(Object.entries(written).map(([type, ua]) => [ua, Number(type) as DataType])),
  [UaType.Boolean]: DataType.BOOL,
  [UaType.DateTime]: DataType.UINT32,
  [UaType.LocalizedText]: DataType.STRING,
};

/** The type of a tag for values of a built-in type, or 0 when there is none. */
export function tagTypeOf(ua: UaType): DataType | 0 {
  return tagTypes[ua] ?? 0;
}

/** Whether a tag of this type may stand for values of more than one built-in type, so that a write must find out which. */
export function isAmbiguous(type: DataType): boolean {
  return type === DataType.UINT32 || type === DataType.STRING;
}

/** The two highest bits of a status are its severity (OPC 10000-4, 7.39): 00 good, 01 uncertain, 10 bad. */
const bad = 0x8000_0000;
const uncertain = 0x4000_0000;
const goodLocalOverride = StatusCodes.GoodLocalOverride.value >>> 16;

/**
 * Stores one read or notified value, its source time and its quality. `isElement` tells that the address has an index: the
 * server then sends an array with that one element (OPC 10000-4, 7.27), or a text of one character.
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

/** The high 16 bits of a status are its number (OPC 10000-4, 7.39); the low ones describe the value's way, not the value. */
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

/** In which form the server has a value. */
export interface Form {
  readonly type: UaType;
  readonly isScalar: boolean;
}

/**
 * The value to send for a write. `known` is the form of the value that the server has, as far as that was found out; `dimensions` is how
 * many indices the address has.
 */
export function encode(
  type: DataType,
  value: Value,
  dimensions: number,
  known: Form | undefined,
): VariantOptions | Fault {
  const plain = written[type];
  if (plain === undefined || (known !== undefined && tagTypes[known.type] !== tagTypes[plain]))
    return typeMismatch;
  if (known?.type === UaType.LocalizedText) return readOnlyText;
  const dataType = known?.type === UaType.DateTime ? known.type : plain;
  const native = nativeOf(dataType, value);
  // A part of a text is a text (OPC 10000-4, 7.27), while an element of an array is an array.
  if (dimensions === 0 || known?.isScalar === true)
    return { dataType, arrayType: VariantArrayType.Scalar, value: native };
  if (dimensions === 1) return { dataType, arrayType: VariantArrayType.Array, value: [native] };
  const ones = new Array<number>(dimensions).fill(1);
  return { dataType, arrayType: VariantArrayType.Matrix, dimensions: ones, value: [native] };
}

function nativeOf(dataType: UaType, value: Value): unknown {
  if (dataType === UaType.DateTime) return new Date(Number(value) * 1000);
  if (dataType === UaType.Boolean) return value === true || value === 1;
  if (typeof value !== 'bigint') return value;
  const bits = BigInt.asUintN(64, value);
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
}
