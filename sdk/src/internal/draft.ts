import type { Fault } from '../fault.ts';
import type { Values } from '../results.ts';
import type { ColumnValues } from './column-values.ts';

/** What a driver writes one reading into, until its call has settled. */
export class Draft implements Values {
  readonly values: ColumnValues;
  /** Column of each point that the call is about. */
  readonly columnOf: Uint32Array;
  #open = true;

  constructor(values: ColumnValues, columnOf: Uint32Array) {
    this.values = values;
    this.columnOf = columnOf;
  }

  /** From here on nothing is taken any more. */
  close(): void {
    this.#open = false;
  }

  number(index: number, value: number): void {
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
