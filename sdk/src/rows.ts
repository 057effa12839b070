import { DataType } from '@tagway/schemas';
import { Quality } from './quality.ts';
import { type Column, type Sample, Store } from './sample.ts';
import type { Value } from './value.ts';

/** One value of a sample, or its fault. `Rows` gives the same object for every row: take from it what is to be kept. */
export interface Row {
  readonly column: Column;
  /** Index of the column in the layout. */
  readonly index: number;
  /** Undefined when there is a fault. */
  readonly value: Value | undefined;
  /** Error code, or 0. */
  readonly fault: number;
  /** Why there is a fault, in one sentence; empty when there is none. */
  readonly reason: string;
  /** Source time in milliseconds since the epoch, NaN when unknown. */
  readonly time: number;
  /** Flags of `Quality`. */
  readonly quality: number;
}

export interface RowsOptions {
  /** True: all columns. Default: those that are due. */
  readonly all?: boolean;
}

/** Goes through the rows of a sample: those of an event sample in their order, otherwise the columns in theirs. */
export class Rows implements IterableIterator<Row>, Row {
  index = -1;
  fault = 0;
  reason = '';
  readonly #sample: Sample;
  readonly #all: boolean;
  readonly #count: number;
  readonly #result: { done: boolean; value: Row };
  #row = -1;
  /** Pairs of the faults before this one belong to rows that have passed. */
  #pair = 0;

  constructor(sample: Sample, options: RowsOptions = {}) {
    this.#sample = sample;
    this.#all = options.all === true || sample.due === undefined;
    this.#count = sample.rows?.length ?? sample.layout.columns.length;
    this.#result = { done: false, value: this };
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Row, undefined> {
    const { due, faults, reasons, rows } = this.#sample;
    let row = this.#row + 1;
    if (!this.#all) while (row < this.#count && due?.[row] === 0) row++;
    this.#row = row;
    if (row >= this.#count) return { done: true, value: undefined };
    this.index = rows === undefined ? row : rows[row]!;
    while ((faults[this.#pair * 2] ?? this.#count) < row) this.#pair++;
    if (faults[this.#pair * 2] === row) {
      this.fault = faults[this.#pair * 2 + 1]!;
      this.reason = reasons?.texts[reasons.indices[this.#pair]!] ?? '';
    } else if (this.fault !== 0) {
      this.fault = 0;
      this.reason = '';
    }
    return this.#result as IteratorResult<Row, undefined>;
  }

  get column(): Column {
    return this.#sample.layout.columns[this.index]!;
  }

  get value(): Value | undefined {
    if (this.fault !== 0) return undefined;
    const { rows, numbers, integers, objects } = this.#sample;
    const { store, place, valueType } = this.column;
    const at = rows === undefined ? place : this.#row;
    if (store === Store.OBJECT) return objects[at];
    if (store === Store.INTEGER) {
      const bits = integers[at]!;
      return valueType === DataType.UINT64 ? BigInt.asUintN(64, bits) : bits;
    }
    return valueType === DataType.BOOL ? numbers[at] !== 0 : numbers[at];
  }

  get time(): number {
    return this.#sample.timestamps?.[this.#row] ?? NaN;
  }

  get quality(): number {
    return this.#sample.qualities?.[this.#row] ?? Quality.GOOD;
  }
}

/** The rows of a sample, to go through once: `for (const { column, value } of rowsOf(sample))`. */
export function rowsOf(sample: Sample, options?: RowsOptions): Rows {
  return new Rows(sample, options);
}
