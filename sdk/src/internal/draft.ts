import type { Fault } from '../fault.ts';
import type { Values } from '../results.ts';
import { type ColumnValues, Held } from './column-values.ts';

const noPlaces = new Int32Array(0);

/** What a driver writes one reading into, until its call has settled. */
export class Draft implements Values {
  readonly values: ColumnValues;
  /** Column of each point that the call is about. */
  readonly columnOf: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #held: Uint8Array;
  /** Where numbers go that are stored as they are: the short way for what gateways read most. */
  #plainPlaces: Int32Array;
  #open = true;

  /** `plainPlaces` are those of the points, or empty. */
  constructor(values: ColumnValues, columnOf: Uint32Array, plainPlaces: Int32Array) {
    this.values = values;
    this.columnOf = columnOf;
    this.#numbers = values.numbers;
    this.#held = values.held;
    this.#plainPlaces = plainPlaces;
  }

  /** From here on nothing is taken any more. */
  close(): void {
    this.#open = false;
    this.#plainPlaces = noPlaces;
  }

  number(index: number, value: number): void {
    const place = this.#plainPlaces[index] as number;
    // A difference from itself other than 0 is that of a number that is not finite.
    if (place >= 0 && value - value === 0) {
      this.#numbers[place] = value;
      this.#held[this.columnOf[index] as number] = Held.VALUE;
      return;
    }
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.number(column, value);
  }

  integer(index: number, value: bigint): void {
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.integer(column, value);
  }

  text(index: number, value: string): void {
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.text(column, value);
  }

  bytes(index: number, value: Uint8Array): void {
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.bytes(column, value);
  }

  fault(index: number, fault: Fault): void {
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.fault(column, fault);
  }

  stamp(index: number, time: number, quality = 0): void {
    const column = this.columnOf[index];
    if (this.#open && column !== undefined) this.values.stamp(column, time, quality);
  }
}
