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

/** Whether decimal and bias apply to values of this type. */
export function isNumeric(type: DataType): boolean {
  return type <= DataType.DOUBLE;
}
