import { DataType, type Fault, type Outcome, type Value } from '@tagway/sdk';
import { DataType as UaType, type DataValue, VariantArrayType, type VariantOptions } from 'node-opcua-client';
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

/**
 * The outcome of one read or notified value. `isElement` tells that the address has an index: the server then
 * sends an array with that one element (OPC 10000-4, 7.27), or a text of one character.
 */
export function decode(
  type: DataType,
  isElement: boolean,
  { statusCode, value: variant }: DataValue,
): Outcome {
  // The two highest bits are the severity (OPC 10000-4, 7.39): 00 good, 01 uncertain, 10 bad.
  if ((statusCode.value & 0x8000_0000) !== 0) return readFault(statusCode);
  if (!variant || variant.dataType === UaType.Null) return notReady;
  const ua = variant.dataType;
  let value: unknown = variant.value;
  if (variant.arrayType !== VariantArrayType.Scalar) {
    const elements = value as ArrayLike<unknown> | null;
    if (!isElement || elements?.length !== 1) return typeMismatch;
    value = elements[0];
  }
  const fits = type === DataType.BIT ? ua === UaType.Boolean : tagTypes[ua] === type;
  if (!fits) return typeMismatch;
  switch (ua) {
    case UaType.Int64:
      return BigInt.asIntN(64, wide(value));
    case UaType.UInt64:
      return wide(value);
    case UaType.Boolean:
      return type === DataType.BIT ? Number(value) : value === true;
    case UaType.DateTime:
      return secondsOf(value);
    case UaType.String:
      return typeof value === 'string' ? value : '';
    case UaType.LocalizedText:
      return (value as { readonly text?: string | null } | null)?.text ?? '';
    default:
      return value as number;
  }
}

/** 64-bit integers come as their high and their low word, both unsigned. */
function wide(value: unknown): bigint {
  const [high, low] = value as readonly [number, number];
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

function secondsOf(value: unknown): Outcome {
  if (!(value instanceof Date)) return notReady;
  const seconds = Math.floor(value.getTime() / 1000);
  return seconds >= 0 && seconds <= 0xffff_ffff ? seconds : outOfRange;
}

/**
 * The value to send for a write. `known` is the built-in type of the value that the server has, as far as that was found out;
 * `dimensions` is how many indices the address has.
 */
export function encode(
  type: DataType,
  value: Value,
  dimensions: number,
  known: UaType | undefined,
): VariantOptions | Fault {
  const plain = written[type];
  if (plain === undefined || (known !== undefined && tagTypes[known] !== tagTypes[plain]))
    return typeMismatch;
  if (known === UaType.LocalizedText) return readOnlyText;
  const dataType = known === UaType.DateTime ? known : plain;
  const native = nativeOf(dataType, value);
  if (dimensions === 0) return { dataType, arrayType: VariantArrayType.Scalar, value: native };
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
