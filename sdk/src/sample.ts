import { DataType, isNumeric } from '@tagway/schemas';

/** A tag as apps see it. */
export interface TagInfo {
  readonly name: string;
  /** As configured. */
  readonly type: DataType;
  /** Type of the values that apps see: DOUBLE when decimal or bias apply, otherwise `type`. */
  readonly valueType: DataType;
  /** Decimals to print of a FLOAT, a DOUBLE or a scaled value; 0 prints what is needed. */
  readonly precision: number;
  readonly address: string;
  readonly description: string;
  /** Unit of the values that apps see, best as a UCUM code. Absent or undefined: not known. */
  readonly unit?: string | undefined;
  /** Span of the values that apps see; both or none. Values may lie beyond it. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** A tag that samples carry. */
export interface Column extends TagInfo {
  /** True when decimal or bias apply: the value is a double in `numbers`, whatever the type. */
  readonly scaled: boolean;
  /** Only due when it changed: the tag has the SUBSCRIBE attribute. */
  readonly onChange: boolean;
  readonly writable: boolean;
  /** Which array of a sample holds the values of this column. */
  readonly store: Store;
  /** Where in that array. In an event sample the place is the row instead. */
  readonly place: number;
}

/** The columns of a group's samples, in the order of its tags. It never changes: a change of the group makes another one. */
export interface Layout {
  /** Grows with every change of any group. */
  readonly version: number;
  /** Name of the driver node. */
  readonly driver: string;
  /** Name of the group. */
  readonly group: string;
  /** Milliseconds. */
  readonly interval: number;
  readonly columns: readonly Column[];
  /** True when the gateway keeps what its tags were in the last day, except texts and bytes: see `AppContext.history`. */
  readonly keepsHistory?: true;
  /** Tags of the group that can be written and not read. */
  readonly writeOnly: readonly TagInfo[];
}

/**
 * One reading of one group, or, with `rows`, changes of some of its tags in the order in which they arose. Values lie in typed
 * columns, so that a sample of ten thousand tags is a handful of objects. It is shared and never changes, and may be kept.
 * `rowsOf` goes through it row by row; the raw columns are for those who prepare per layout what they need.
 */
export interface Sample {
  readonly layout: Layout;
  /** When the reading was complete, in milliseconds since the epoch. */
  readonly timestamp: number;
  /**
   * One byte per column: 1 when apps are to report it, because it changed or is reported always. Absent: all are due. The first
   * sample of a layout is due as a whole.
   */
  readonly due?: Uint8Array;
  /** Of an event sample: the column of each row; a column may come several times. Arrays below then go by row. */
  readonly rows?: Uint32Array;
  /**
   * Values of `Store.NUMBER` columns, scaled and rounded to the tag's precision; BOOL and BIT as 0 or 1; a FLOAT is the nearest single.
   */
  readonly numbers: Float64Array;
  /** Values of `Store.INTEGER` columns: INT64, and UINT64 as the same 64 bits. */
  readonly integers: BigInt64Array;
  /** Values of `Store.OBJECT` columns; an empty string where there is a fault. */
  readonly objects: readonly (string | Uint8Array)[];
  /** Pairs of column (or row) and error code, ascending. A column with a fault has no value. */
  readonly faults: Int32Array;
  /** Why, in words: `texts[indices[k]]` belongs to pair `k` of the faults. Absent when there are none. */
  readonly reasons?: Reasons;
  /** Source times per column (or row), in milliseconds since the epoch, NaN where unknown. Absent: none is known. */
  readonly timestamps?: Float64Array;
  /** Flags of `Quality` per column (or row). Absent: all are good. */
  readonly qualities?: Uint32Array;
}

/** Sentences for the faults of a sample: each is held once. */
export interface Reasons {
  readonly texts: readonly string[];
  readonly indices: Uint16Array;
}

export const Store = { NUMBER: 0, INTEGER: 1, OBJECT: 2 } as const;
export type Store = (typeof Store)[keyof typeof Store];

/** In which array of a sample the values of such a tag lie. */
export function storeOf(type: DataType, scaled: boolean): Store {
  if (type === DataType.STRING || type === DataType.BYTES) return Store.OBJECT;
  const wide = type === DataType.INT64 || type === DataType.UINT64;
  return wide && !(scaled && isNumeric(type)) ? Store.INTEGER : Store.NUMBER;
}

/** Number of values of each store in a whole sample of this layout. */
export function storeLengths(layout: Layout): readonly [numbers: number, integers: number, objects: number] {
  const lengths: [number, number, number] = [0, 0, 0];
  for (const { store } of layout.columns) lengths[store]++;
  return lengths;
}

/** The position of a column's (or row's) pair in `faults`, or -1 when it has no fault. */
export function faultAt({ faults }: Pick<Sample, 'faults'>, index: number): number {
  let low = 0;
  let high = faults.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (faults[middle * 2]! < index) low = middle + 1;
    else high = middle;
  }
  return faults[low * 2] === index ? low : -1;
}
