import { DataType, ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import { Store } from '../../sample.ts';
import type { ColumnValues } from './column-values.ts';
import type { GroupColumns } from './group-columns.ts';
import type { ReportPace } from './report-pace.ts';

/** The code of a column that was not reported yet. */
const unknown = -1;
const nothing = new Fault(ErrorCode.NOT_READY);

/**
 * What was last sent to apps of the tags that are reported on change, or when they leave their deadband. It has arrays of its own and not
 * `ColumnValues`, which take twice the time to compare and to store: this runs for every tag of every read.
 */
export class Reported {
  readonly #columns: GroupColumns;
  readonly #pace: ReportPace;
  /** Error code of each column, 0 for a value. */
  readonly #codes: Int32Array;
  readonly #numbers: Float64Array;
  readonly #integers: BigInt64Array;
  readonly #objects: (string | Uint8Array | undefined)[];
  readonly #watchedNumbers: WatchedNumbers;
  /** The columns that are watched and hold no numbers. */
  readonly #watchedOthers: readonly number[];
  #qualities: Uint32Array | undefined;
  /** How many of the columns that are watched had no value when they were reported last. */
  #withoutValue: number;
  #hasBegun = false;

  constructor(columns: GroupColumns, pace: ReportPace) {
    const [numbers, integers] = columns.lengths;
    const watched = columns.watched.length > 0;
    this.#columns = columns;
    this.#pace = pace;
    this.#codes = new Int32Array(watched ? columns.count : 0).fill(unknown);
    this.#numbers = new Float64Array(watched ? numbers : 0);
    this.#integers = new BigInt64Array(watched ? integers : 0);
    this.#objects = [];
    this.#withoutValue = columns.watched.length;
    const isNumber = (column: number): boolean => columns.layout.columns[column]!.store === Store.NUMBER;
    this.#watchedNumbers = new WatchedNumbers(columns, columns.watched.filter(isNumber));
    this.#watchedOthers = columns.watched.filter((column) => !isNumber(column));
  }

  /** Whether a whole sample was made before. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the pace of the group keeps from apps what comes now. The first whole sample of a layout is never too early. */
  isEarly(now: number): boolean {
    return this.#hasBegun && this.#pace.isEarly(now);
  }

  /** Events are sent to apps. */
  noteEvents(now: number): void {
    this.#pace.note(now, false);
  }

  /**
   * Which columns of a whole sample are due, and takes note of them; undefined when all are, as in the first one. A tag that fails is
   * due every time.
   */
  mark(values: ColumnValues, now: number): Uint8Array | undefined {
    const { count, watched } = this.#columns;
    const isComplete = !this.#hasBegun || watched.length === 0 || this.#pace.isComplete(now);
    this.#hasBegun = true;
    if (isComplete) {
      for (const column of watched) this.note(column, values);
      this.#pace.note(now, true);
      return undefined;
    }
    const due = new Uint8Array(count).fill(1);
    let dueCount = count;
    const isGood = this.#withoutValue === 0 && this.#qualities === undefined && isAllGood(values);
    if (isGood) dueCount -= this.#watchedNumbers.mark(values.numbers, this.#numbers, due);
    for (const column of isGood ? this.#watchedOthers : watched) {
      if (this.isNews(column, values)) this.note(column, values);
      else if (this.#codes[column] === 0) {
        due[column] = 0;
        dueCount--;
      }
    }
    if (dueCount > 0) this.#pace.note(now, false);
    return due;
  }

  /**
   * Of a whole sample that comes between two ticks: which columns with the SUBSCRIBE attribute are due, and takes note of them; undefined when
   * none is, or when it is too early.
   */
  markNews(values: ColumnValues, now: number): Uint8Array | undefined {
    if (this.isEarly(now)) return undefined;
    let due: Uint8Array | undefined;
    for (const column of this.#columns.onChange) {
      if (!this.isNews(column, values)) continue;
      this.note(column, values);
      due ??= new Uint8Array(this.#columns.count);
      due[column] = 1;
    }
    if (due !== undefined) this.#pace.note(now, false);
    return due;
  }

  /** Whether a column differs in fault or quality, or enough in value, from what was last reported of it. */
  isNews(column: number, values: ColumnValues): boolean {
    const code = values.faultOf(column, nothing)?.code ?? 0;
    if (code !== this.#codes[column]) return true;
    if (values.qualityOf(column) !== (this.#qualities?.[column] ?? 0)) return true;
    return code === 0 && this.#differs(column, values);
  }

  hasDeadband(column: number): boolean {
    return (this.#columns.deadbands?.[column] ?? 0) > 0;
  }

  /** Whether the latest value of the column may be another one than apps have. */
  holdsBack(column: number): boolean {
    return this.#pace.hasPause || this.hasDeadband(column);
  }

  note(column: number, values: ColumnValues): void {
    const place = this.#columns.places[column]!;
    const code = values.faultOf(column, nothing)?.code ?? 0;
    if ((this.#codes[column] === 0) !== (code === 0)) this.#withoutValue += code === 0 ? -1 : 1;
    this.#codes[column] = code;
    const quality = values.qualityOf(column);
    if (quality !== 0 || this.#qualities !== undefined)
      (this.#qualities ??= new Uint32Array(this.#columns.count))[column] = quality;
    if (code !== 0) return;
    const { store } = this.#columns.layout.columns[column]!;
    if (store === Store.NUMBER) this.#numbers[place] = values.numbers[place]!;
    else if (store === Store.INTEGER) this.#integers[place] = values.integers[place]!;
    else this.#objects[place] = values.objects[place];
  }

  #differs(column: number, values: ColumnValues): boolean {
    const { store, type } = this.#columns.layout.columns[column]!;
    const place = this.#columns.places[column]!;
    const deadband = this.#columns.deadbands?.[column] ?? 0;
    if (deadband > 0 && store === Store.INTEGER) {
      const isUnsigned = type === DataType.UINT64;
      return distance(values.integers[place]!, this.#integers[place]!, isUnsigned) > deadband;
    }
    if (store === Store.NUMBER)
      return Math.abs(values.numbers[place]! - this.#numbers[place]!) > leastChange(this.#columns, column);
    if (store === Store.INTEGER) return values.integers[place] !== this.#integers[place];
    const now = values.objects[place];
    const before = this.#objects[place];
    if (now instanceof Uint8Array && before instanceof Uint8Array) return Buffer.compare(now, before) !== 0;
    return now !== before;
  }
}

/** Nothing is missing in a sample, and nothing in it is doubtful. */
function isAllGood(values: ColumnValues): boolean {
  return values.qualities === undefined && values.isWhole;
}

/** What a number has to change by more than, to be reported again. */
function leastChange({ deadbands, layout }: GroupColumns, column: number): number {
  const deadband = deadbands?.[column] ?? 0;
  if (deadband > 0) return deadband;
  const { precision, scaled, type } = layout.columns[column]!;
  const isReal = scaled || type === DataType.FLOAT || type === DataType.DOUBLE;
  return isReal && precision > 0 ? 10 ** -precision : 0;
}

/** The columns of numbers that are watched, side by side: thousands of them are compared with what was reported in every cycle. */
class WatchedNumbers {
  readonly #columns: Uint32Array;
  readonly #places: Uint32Array;
  readonly #leastChanges: Float64Array;

  constructor(columns: GroupColumns, watched: readonly number[]) {
    this.#columns = Uint32Array.from(watched);
    this.#places = this.#columns.map((column) => columns.places[column]!);
    this.#leastChanges = Float64Array.from(watched, (column) => leastChange(columns, column));
  }

  /** Takes note of the numbers that are to be reported again, and marks the others as not due. How many others there are. */
  mark(numbers: Float64Array, reported: Float64Array, due: Uint8Array): number {
    const columns = this.#columns;
    const places = this.#places;
    const leastChanges = this.#leastChanges;
    let others = 0;
    for (let index = 0; index < columns.length; index++) {
      const place = places[index]!;
      const number = numbers[place]!;
      if (Math.abs(number - reported[place]!) > leastChanges[index]!) reported[place] = number;
      else {
        due[columns[index]!] = 0;
        others++;
      }
    }
    return others;
  }
}

/** How far two integers lie apart; those without a sign are held as the same 64 bits. */
function distance(one: bigint, other: bigint, isUnsigned: boolean): bigint {
  const difference = isUnsigned ? BigInt.asUintN(64, one) - BigInt.asUintN(64, other) : one - other;
  return difference < 0n ? -difference : difference;
}
