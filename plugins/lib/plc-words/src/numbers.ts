import { DataType, integerRange, isInIntegerRange, type Fault, type Value, type Values } from '@tagway/sdk';
import { mismatch, outOfRange } from '@tagway/sdk/link';

/** The order of the bytes of a value on the wire: entry `i` is the place of byte `i` of the value in big-endian order. */
export type Permutation = readonly number[];

/** Numbers of one type and byte order within the answer to one request, in columns: one loop decodes them. */
export interface NumberColumn {
  /** First byte of each number. */
  readonly offsets: Int32Array;
  /** Indices of the points in their group. */
  readonly indices: Int32Array;
  readonly order: Permutation;
}

/** Decodes a column whose offsets count from `data[base]`. */
type DecodeNumbers = (data: Buffer, base: number, column: NumberColumn, into: Values) => void;

const view = new DataView(new ArrayBuffer(8));

const decodeInt16: DecodeNumbers = (data, base, { offsets, indices, order }, into) => {
  const high = base + order[0]!;
  const low = base + order[1]!;
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, ((data[high + offsets[i]!]! << 24) >> 16) | data[low + offsets[i]!]!);
};

const decodeUint16: DecodeNumbers = (data, base, { offsets, indices, order }, into) => {
  const high = base + order[0]!;
  const low = base + order[1]!;
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, (data[high + offsets[i]!]! << 8) | data[low + offsets[i]!]!);
};

/** Four bytes from `at` on as a signed number; their order is read from place `from` on. */
function word(data: Buffer, at: number, order: Permutation, from: number): number {
  return (
    (data[at + order[from]!]! << 24) |
    (data[at + order[from + 1]!]! << 16) |
    (data[at + order[from + 2]!]! << 8) |
    data[at + order[from + 3]!]!
  );
}

const decodeInt32: DecodeNumbers = (data, base, { offsets, indices, order }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, word(data, base + offsets[i]!, order, 0));
};

const decodeUint32: DecodeNumbers = (data, base, { offsets, indices, order }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, word(data, base + offsets[i]!, order, 0) >>> 0);
};

const decodeFloat: DecodeNumbers = (data, base, { offsets, indices, order }, into) => {
  for (let i = 0; i < indices.length; i++) {
    view.setInt32(0, word(data, base + offsets[i]!, order, 0));
    into.number(indices[i]!, view.getFloat32(0));
  }
};

/** Makes a decoder of 64-bit values; `take` passes on what the eight scratch bytes hold. */
function wide(take: (into: Values, index: number) => void): DecodeNumbers {
  return (data, base, { offsets, indices, order }, into) => {
    for (let i = 0; i < indices.length; i++) {
      view.setInt32(0, word(data, base + offsets[i]!, order, 0));
      view.setInt32(4, word(data, base + offsets[i]!, order, 4));
      take(into, indices[i]!);
    }
  };
}

/** The decoders of numbers that take whole words. */
export const numberDecoders: Readonly<Partial<Record<DataType, DecodeNumbers>>> = {
  [DataType.INT16]: decodeInt16,
  [DataType.UINT16]: decodeUint16,
  [DataType.INT32]: decodeInt32,
  [DataType.UINT32]: decodeUint32,
  [DataType.FLOAT]: decodeFloat,
  [DataType.INT64]: wide((into, index) => into.integer(index, view.getBigInt64(0))),
  [DataType.UINT64]: wide((into, index) => into.integer(index, view.getBigUint64(0))),
  [DataType.DOUBLE]: wide((into, index) => into.number(index, view.getFloat64(0))),
};

/** The bytes of a number on the wire, or the fault of a value that does not fit the type. */
export function encodeNumber(type: DataType, value: Value, order: Permutation): Buffer | Fault {
  const data = Buffer.alloc(order.length);
  return putNumber(type, value, data, order) ?? data;
}

/** Writes a number to the beginning of `into`, or returns the fault of a value that does not fit the type. */
export function putNumber(
  type: DataType,
  value: Value,
  into: Uint8Array,
  order: Permutation,
): Fault | undefined {
  const isBig = type === DataType.INT64 || type === DataType.UINT64;
  if (typeof value !== (isBig ? 'bigint' : 'number')) return mismatch;
  const number = value as number | bigint;
  const isInteger = integerRange[type] !== undefined;
  if (isInteger && !isInIntegerRange(type, number)) return outOfRange;
  if (typeof number === 'bigint') view.setBigInt64(0, number);
  else if (isInteger && order.length === 2) view.setInt16(0, number);
  else if (isInteger) view.setInt32(0, number);
  else if (!Number.isFinite(type === DataType.FLOAT ? Math.fround(number) : number)) return outOfRange;
  else if (type === DataType.FLOAT) view.setFloat32(0, number);
  else view.setFloat64(0, number);
  for (let index = 0; index < order.length; index++) into[order[index]!] = view.getUint8(index);
  return undefined;
}

/** The number whose bytes begin at `data[at]`; of a type that takes whole words. */
export function numberFrom(
  type: DataType,
  data: Uint8Array,
  at: number,
  order: Permutation,
): number | bigint {
  for (let index = 0; index < order.length; index++) view.setUint8(index, data[at + order[index]!]!);
  switch (type) {
    case DataType.INT16:
      return view.getInt16(0);
    case DataType.UINT16:
      return view.getUint16(0);
    case DataType.INT32:
      return view.getInt32(0);
    case DataType.UINT32:
      return view.getUint32(0);
    case DataType.INT64:
      return view.getBigInt64(0);
    case DataType.UINT64:
      return view.getBigUint64(0);
    case DataType.FLOAT:
      return view.getFloat32(0);
    default:
      return view.getFloat64(0);
  }
}
