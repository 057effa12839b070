import type { Fault } from '../../fault.ts';
import type { Values } from '../../results.ts';
import { type ColumnValues, Held } from './column-values.ts';

const noPlaces = new Int32Array(0);
const noColumns = new Uint32Array(0);

/** Takes the values of one read from the driver, until its call has settled. */
export class Draft implements Values {
  readonly values: ColumnValues;
  /** Column of each point that the call is about. */
  readonly columnOf: Uint32Array;
  /** The same until the draft is closed, then empty, so that nothing is taken any more. */
  #open: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #held: Uint8Array;
  /** The place of each number that is stored as it is: the fast path for what gateways read most. */
  #plainPlaces: Int32Array;

  /** `plainPlaces` are those of the points, or empty. */
  constructor(values: ColumnValues, columnOf: Uint32Array, plainPlaces: Int32Array) {
    this.values = values;
    this.columnOf = this.#open = columnOf;
    this.#numbers = values.numbers;
    this.#held = values.held;
    this.#plainPlaces = plainPlaces;
  }

  /** Nothing is taken after this. */
  close(): void {
    this.#open = noColumns;
    this.#plainPlaces = noPlaces;
  }

  number(index: number, value: number): void {
    const place = this.#plainPlaces[index]!;
    // The difference of a number from itself is not 0 when it is not finite.
    if (place >= 0 && value - value === 0) {
      this.#numbers[place] = value;
      this.#held[this.columnOf[index]!] = Held.VALUE;
      return;
    }
    const column = this.#open[index];
    if (column !== undefined) this.values.number(column, value);
  }

  integer(index: number, value: bigint): void {
    const column = this.#open[index];
    if (column !== undefined) this.values.integer(column, value);
  }

  text(index: number, value: string): void {
    const column = this.#open[index];
    if (column !== undefined) this.values.text(column, value);
  }

  bytes(index: number, value: Uint8Array): void {
    const column = this.#open[index];
    if (column !== undefined) this.values.bytes(column, value);
  }

  fault(index: number, fault: Fault): void {
    const column = this.#open[index];
    if (column !== undefined) this.values.fault(column, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    const column = this.#open[index];
    if (column !== undefined) this.values.stamp(column, time, quality);
  }
}
