import { DataType } from '@tagway/schemas';
import { isNumeric } from './value.ts';

/** What travels once of a tag that samples carry, until its group changes. */
export interface Column {
  readonly name: string;
  readonly type: DataType;
  /** Decimals to print of a FLOAT, a DOUBLE or a scaled value; 0 prints what is needed. */
  readonly precision: number;
  /** True when decimal or bias apply: the value is a double in `numbers`, whatever the type. */
  readonly scaled: boolean;
  /** Only reported to apps when it changed: the tag has the SUBSCRIBE attribute. */
  readonly onChange: boolean;
}

/** The columns of a group's samples, in the order of its tags. */
export interface Layout {
  /** Grows with every change of the group; a sample goes with the layout of the same version. */
  readonly version: number;
  /** Name of the driver node. */
  readonly node: string;
  /** Name of the group. */
  readonly group: string;
  readonly columns: readonly Column[];
}

/**
 * One reading of one group. Values lie in typed columns, so that a sample of ten thousand tags is a handful of objects.
 * A column's place in its array is its rank among the columns of the same store: see `stores`.
 */
export interface Sample {
  /** Number of the group within this run of the gateway. */
  readonly group: number;
  readonly version: number;
  /** When the reading was complete, in milliseconds since the epoch. */
  readonly time: number;
  /** Values of `Store.NUMBER` columns; BOOL and BIT as 0 or 1. */
  readonly numbers: Float64Array;
  /** Values of `Store.INTEGER` columns: INT64, and UINT64 as the same 64 bits. */
  readonly integers: BigInt64Array;
  /** Values of `Store.OBJECT` columns; an empty string where the column has a fault. */
  readonly objects: readonly (string | Uint8Array)[];
  /** Pairs of column index and error code, ascending by index. A column with a fault has no value. */
  readonly faults: Int32Array;
  /** One byte per column: 1 when apps are to report it. Absent: all of them. */
  readonly report?: Uint8Array;
}

export const Store = { NUMBER: 0, INTEGER: 1, OBJECT: 2 } as const;
export type Store = (typeof Store)[keyof typeof Store];

/** In which array of a sample the values of a column lie. */
export function storeOf(column: Pick<Column, 'type' | 'scaled'>): Store {
  if (column.type === DataType.STRING || column.type === DataType.BYTES) return Store.OBJECT;
  const wide = column.type === DataType.INT64 || column.type === DataType.UINT64;
  return wide && !(column.scaled && isNumeric(column.type)) ? Store.INTEGER : Store.NUMBER;
}

/** Per column its place in the array that `storeOf` names. */
export function placesOf(columns: readonly Pick<Column, 'type' | 'scaled'>[]): Uint32Array {
  const next = [0, 0, 0];
  return Uint32Array.from(columns, (column) => {
    const store = storeOf(column);
    const place = next[store] ?? 0;
    next[store] = place + 1;
    return place;
  });
}
