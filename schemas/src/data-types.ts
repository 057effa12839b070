import { DataType } from './enumerations.ts';

type DataTypeTable<T> = Readonly<Partial<Record<DataType, T>>>;

/** Smallest and largest value of each integer type; the limits of 64-bit types are bigints. */
export const integerRange: DataTypeTable<readonly [number | bigint, number | bigint]> = {
  [DataType.INT8]: [-0x80, 0x7f],
  [DataType.UINT8]: [0, 0xff],
  [DataType.INT16]: [-0x8000, 0x7fff],
  [DataType.UINT16]: [0, 0xffff],
  [DataType.INT32]: [-0x8000_0000, 0x7fff_ffff],
  [DataType.UINT32]: [0, 0xffff_ffff],
  [DataType.INT64]: [-0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn],
  [DataType.UINT64]: [0n, 0xffff_ffff_ffff_ffffn],
};

/** Whether a whole number lies within the range of an integer type; a number with a fraction does not. */
export function isInIntegerRange(type: DataType, value: number | bigint): boolean {
  const [least, most] = integerRange[type] ?? [1, 0];
  return value >= least && value <= most && (typeof value === 'bigint' || Number.isInteger(value));
}

const numberSizes: DataTypeTable<1 | 2 | 4 | 8> = {
  [DataType.INT8]: 1,
  [DataType.UINT8]: 1,
  [DataType.INT16]: 2,
  [DataType.UINT16]: 2,
  [DataType.INT32]: 4,
  [DataType.UINT32]: 4,
  [DataType.FLOAT]: 4,
  [DataType.INT64]: 8,
  [DataType.UINT64]: 8,
  [DataType.DOUBLE]: 8,
};

/** Bytes of a number of this type; undefined for BIT, BOOL, STRING and BYTES, which are no numbers. */
export function numberSize(type: DataType): 1 | 2 | 4 | 8 | undefined {
  return numberSizes[type];
}

/** Whether decimal and bias apply to values of this type. */
export function isNumeric(type: number): boolean {
  return type <= DataType.DOUBLE;
}

const names = new Map<number, string>(Object.entries(DataType).map(([name, type]) => [type, name]));

/** The name of a data type, such as INT16; of another number its digits. */
export function dataTypeName(type: number): string {
  return names.get(type) ?? String(type);
}
