import { DataType } from '@tagway/schemas';

/**
 * A value by its type: a `number` for INT8 to UINT32, FLOAT and DOUBLE, `0 | 1` for BIT, `bigint` for
 * INT64 and UINT64, `boolean` for BOOL, `string` for STRING, `Uint8Array` for BYTES.
 */
export type Value = number | bigint | boolean | string | Uint8Array;

/** Smallest and largest value of each integer type; a 64-bit limit is a bigint. */
export const integerRange: Readonly<Partial<Record<DataType, readonly [number | bigint, number | bigint]>>> =
  {
    [DataType.INT8]: [-0x80, 0x7f],
    [DataType.UINT8]: [0, 0xff],
    [DataType.INT16]: [-0x8000, 0x7fff],
    [DataType.UINT16]: [0, 0xffff],
    [DataType.INT32]: [-0x8000_0000, 0x7fff_ffff],
    [DataType.UINT32]: [0, 0xffff_ffff],
    [DataType.INT64]: [-0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn],
    [DataType.UINT64]: [0n, 0xffff_ffff_ffff_ffffn],
  };

const numberSizes: Readonly<Partial<Record<DataType, 1 | 2 | 4 | 8>>> = {
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
export function isNumeric(type: DataType): boolean {
  return type <= DataType.DOUBLE;
}
