import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '../../fault.ts';
import { type GroupColumns, Mode } from './group-columns.ts';
import { roundComputed } from './rounding.ts';
import { soundFault } from '../runner/sound-fault.ts';

const notFinite = new Fault(
  ErrorCode.VALUE_EXPIRED,
  'The value is not a finite number, or does not fit its type after scaling.',
);
const typeMismatch = new Fault(
  ErrorCode.TYPE_MISMATCH,
  "The driver gave a value of another kind than the tag's type asks for.",
);

/** The latest time that a date can be, in milliseconds since the epoch. */
export const latestTime = 8.64e15;

/** The result that a driver gives for one point; BOOL and BIT as numbers. */
export type ValueOrFault = number | bigint | string | Uint8Array | Fault;

/** Whether a column is empty, or has a value or a fault. */
export const Held = { NOTHING: 0, VALUE: 1, FAULT: 2 } as const;

/** Values of one group by column, checked and scaled: one reading, or the latest of what is pushed. */
export class ColumnValues {
  readonly numbers: Float64Array;
  readonly integers: BigInt64Array;
  readonly objects: (string | Uint8Array)[];
  timestamps: Float64Array | undefined;
  qualities: Uint32Array | undefined;
  readonly #columns: GroupColumns;
  /** Per column one of `Held`. */
  readonly held: Uint8Array;
  /** Faults by column; a column that holds a value may still have an old one. */
  #faults: Map<number, Fault> | undefined;

  constructor(columns: GroupColumns) {
    const [numbers, integers, objects] = columns.lengths;
    this.#columns = columns;
    this.numbers = new Float64Array(numbers);
    this.integers = new BigInt64Array(integers);
    this.objects = objects === 0 ? [] : new Array<string>(objects).fill('');
    this.held = new Uint8Array(columns.count);
  }

  /** Empty again, for the next reading. */
  clear(): void {
    this.numbers.fill(0);
    this.integers.fill(0n);
    this.objects.fill('');
    this.held.fill(Held.NOTHING);
    this.timestamps = undefined;
    this.qualities = undefined;
    this.#faults = undefined;
  }

  /** Every column holds a value. */
  get isWhole(): boolean {
    return !this.held.includes(Held.NOTHING) && !this.held.includes(Held.FAULT);
  }

  number(column: number, value: number): void {
    const { modes, places } = this.#columns;
    const mode = modes[column]!;
    let stored = value;
    if (mode !== Mode.PLAIN) {
      if (mode === Mode.SINGLE) stored = Math.fround(value);
      else if (mode === Mode.SCALED) stored = this.#scale(column, value);
      else return this.fault(column, typeMismatch);
    }
    // True for a number that is not finite: NaN - NaN and Infinity - Infinity are NaN.
    if (stored - stored !== 0) return this.fault(column, notFinite);
    this.numbers[places[column]!] = stored;
    this.held[column] = Held.VALUE;
  }

  integer(column: number, value: bigint): void {
    const mode = this.#columns.modes[column]!;
    const place = this.#columns.places[column]!;
    if (mode === Mode.INTEGER) this.integers[place] = BigInt.asIntN(64, value);
    else if (mode === Mode.SCALED_INTEGER) this.numbers[place] = this.#scale(column, Number(value));
    else return this.fault(column, typeMismatch);
    this.held[column] = Held.VALUE;
  }

  text(column: number, value: string): void {
    if (typeof value === 'string') this.#object(column, Mode.TEXT, value);
    else this.fault(column, typeMismatch);
  }

  bytes(column: number, value: Uint8Array): void {
    if (value instanceof Uint8Array) this.#object(column, Mode.BYTES, new Uint8Array(value));
    else this.fault(column, typeMismatch);
  }

  fault(column: number, fault: Fault): void {
    this.held[column] = Held.FAULT;
    (this.#faults ??= new Map()).set(column, soundFault(fault, ErrorCode.READ_FAILED));
  }

  set(column: number, value: ValueOrFault): void {
    if (typeof value === 'number') this.number(column, value);
    else if (typeof value === 'bigint') this.integer(column, value);
    else if (typeof value === 'string') this.text(column, value);
    else if (isFault(value)) this.fault(column, value);
    else this.bytes(column, value);
  }

  stamp(column: number, time: number, quality: number): void {
    const isTime = Math.abs(time) <= latestTime;
    if (isTime || this.timestamps !== undefined) {
      this.timestamps ??= new Float64Array(this.#columns.count).fill(NaN);
      this.timestamps[column] = isTime ? time : NaN;
    }
    if (quality !== 0 || this.qualities !== undefined) {
      this.qualities ??= new Uint32Array(this.#columns.count);
      this.qualities[column] = quality;
    }
  }

  holds(column: number): boolean {
    return this.held[column] !== Held.NOTHING;
  }

  /** The fault of a column; undefined when it holds a value, `missing` when it holds nothing. */
  faultOf(column: number, missing: Fault): Fault | undefined {
    const held = this.held[column];
    if (held === Held.VALUE) return undefined;
    return held === Held.FAULT ? this.#faults?.get(column) : missing;
  }

  qualityOf(column: number): number {
    return this.qualities?.[column] ?? 0;
  }

  timeOf(column: number): number {
    return this.timestamps?.[column] ?? NaN;
  }

  /** Copies column `from` of `other`, which is stored in the same way, to `column`. */
  take(column: number, other: ColumnValues, missing: Fault, from = column): void {
    const fault = other.faultOf(from, missing);
    if (fault === undefined) {
      const place = this.#columns.places[column]!;
      const origin = other.#columns.places[from]!;
      switch (this.#columns.modes[column]) {
        case Mode.INTEGER:
          this.integers[place] = other.integers[origin]!;
          break;
        case Mode.TEXT:
        case Mode.BYTES:
          this.objects[place] = other.objects[origin]!;
          break;
        default:
          this.numbers[place] = other.numbers[origin]!;
      }
      this.held[column] = Held.VALUE;
    } else {
      this.fault(column, fault);
    }
    this.stamp(column, other.timeOf(from), other.qualityOf(from));
  }

  #object(column: number, mode: number, value: string | Uint8Array): void {
    if (this.#columns.modes[column] !== mode) return this.fault(column, typeMismatch);
    this.objects[this.#columns.places[column]!] = value;
    this.held[column] = Held.VALUE;
  }

  #scale(column: number, raw: number): number {
    const { biases, factors } = this.#columns;
    return roundComputed(raw * factors[column]! + biases[column]!);
  }
}
