/**
 * A value by its type: a `number` for INT8 to UINT32, FLOAT and DOUBLE, `0 | 1` for BIT, `bigint` for
 * INT64 and UINT64, `boolean` for BOOL, `string` for STRING, `Uint8Array` for BYTES.
 */
export type Value = number | bigint | boolean | string | Uint8Array;
