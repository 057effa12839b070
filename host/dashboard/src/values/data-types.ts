import { DataType } from '@tagway/schemas';

const names = new Map<number, string>(Object.entries(DataType).map(([name, type]) => [type, name]));

/** The name of a data type, or its number where it is of none. */
export const typeName = (type: number): string => names.get(type) ?? String(type);

/** The data type of a name in any case, or of a number as text. */
export function typeFrom(text: string): DataType | undefined {
  const wanted = text.trim().toUpperCase();
  return Object.entries(DataType).find(([name, type]) => name === wanted || String(type) === wanted)?.[1];
}

export const typeNames: readonly string[] = Object.keys(DataType);

/** Bits of the types that hold integers. */
const widths = new Map<number, { readonly bits: number; readonly isSigned: boolean }>([
  [DataType.INT8, { bits: 8, isSigned: true }],
  [DataType.UINT8, { bits: 8, isSigned: false }],
  [DataType.INT16, { bits: 16, isSigned: true }],
  [DataType.UINT16, { bits: 16, isSigned: false }],
  [DataType.INT32, { bits: 32, isSigned: true }],
  [DataType.UINT32, { bits: 32, isSigned: false }],
  [DataType.INT64, { bits: 64, isSigned: true }],
  [DataType.UINT64, { bits: 64, isSigned: false }],
  [DataType.BIT, { bits: 1, isSigned: false }],
]);

/** How many bits an integer of a type has; undefined of types that hold no integers. */
export const bitsOf = (type: number): number | undefined => widths.get(type)?.bits;

/** The least and the greatest integer of a type. */
export function rangeOf(type: number): readonly [bigint, bigint] | undefined {
  const width = widths.get(type);
  if (width === undefined) return undefined;
  const { bits, isSigned } = width;
  return isSigned ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n];
}
