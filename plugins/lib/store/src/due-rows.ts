import { DataType, type Layout, type Sample } from '@tagway/sdk';
import { type ValueWriter, valueWriterOf } from '@tagway/sdk/json';

/**
 * Goes through what is due of the samples of one group without making an object for each value: `start` with a sample, then `next` until it
 * returns false. Made once for each layout and subscription, because it remembers the last time of each tag.
 */
export class DueRows {
  readonly layout: Layout;
  /** Index in the layout's columns. */
  column = 0;
  /** The column of a whole sample, the row of events: what `ValueWriter` and the arrays by row take. */
  row = -1;
  /** Error code, or 0. */
  fault = 0;
  /** Source time where it is known, otherwise the time of the sample, in milliseconds since the epoch. */
  time = 0;
  /** How many values of the same tag had the same time before this one. */
  ordinal = 0;
  readonly #writer: ValueWriter;
  /** By column 1 where a value may be a number that JSON has no text for, which counts as a fault. */
  readonly #reals: Uint8Array;
  readonly #times: Float64Array;
  readonly #ordinals: Uint32Array;
  #sample: Sample | undefined;
  #sampleTime = 0;
  #count = 0;
  #pair = 0;

  constructor(layout: Layout) {
    this.layout = layout;
    this.#writer = valueWriterOf(layout);
    this.#reals = Uint8Array.from(layout.columns, ({ valueType }) =>
      valueType === DataType.FLOAT || valueType === DataType.DOUBLE ? 1 : 0,
    );
    this.#times = new Float64Array(layout.columns.length).fill(NaN);
    this.#ordinals = new Uint32Array(layout.columns.length);
  }

  start(sample: Sample): void {
    this.#sample = sample;
    this.#sampleTime = Math.trunc(sample.timestamp);
    this.row = -1;
    this.#pair = 0;
    this.#count = sample.rows?.length ?? this.layout.columns.length;
  }

  next(): boolean {
    const sample = this.#sample!;
    const { due, faults, rows, timestamps } = sample;
    let row = this.row + 1;
    if (due !== undefined) while (row < this.#count && due[row] === 0) row++;
    this.row = row;
    if (row >= this.#count) return false;
    const column = rows === undefined ? row : rows[row]!;
    this.column = column;
    if (faults.length > 0) while ((faults[this.#pair * 2] ?? this.#count) < row) this.#pair++;
    if (faults.length > 0 && faults[this.#pair * 2] === row) this.fault = faults[this.#pair * 2 + 1]!;
    else this.fault = this.#reals[column] === 0 ? 0 : this.#writer.fault(sample, row);
    let time = this.#sampleTime;
    if (timestamps !== undefined && Math.abs(timestamps[row]!) < 8.64e15) time = Math.trunc(timestamps[row]!);
    this.time = time;
    if (this.#times[column] === time) {
      this.ordinal = ++this.#ordinals[column]!;
    } else {
      this.#times[column] = time;
      this.ordinal = this.#ordinals[column] = 0;
    }
    return true;
  }

  /** Why the row has its fault, in a sentence; empty when nothing is known. */
  reasonOf({ reasons }: Sample): string {
    return reasons?.texts[reasons.indices[this.#pair] ?? -1] ?? '';
  }
}
