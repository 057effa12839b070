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
  #qualities: Uint32Array | undefined;
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
    for (const column of watched) {
      if (this.isNews(column, values)) this.note(column, values);
      else if (this.#codes[column] === 0) {
        due[column] = 0;
        dueCount--;
      }
    }
    if (dueCount > 0) this.#pace.note(now, false);
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
    const { store, scaled, type, precision } = this.#columns.layout.columns[column]!;
    const place = this.#columns.places[column]!;
    const deadband = this.#columns.deadbands?.[column] ?? 0;
    if (deadband > 0 && store === Store.INTEGER) {
      const isUnsigned = type === DataType.UINT64;
      return distance(values.integers[place]!, this.#integers[place]!, isUnsigned) > deadband;
    }
    // What is not a number has no distance, and is reported.
    if (deadband > 0) return !(Math.abs(values.numbers[place]! - this.#numbers[place]!) <= deadband);
    if (store === Store.NUMBER) {
      const difference = Math.abs(values.numbers[place]! - this.#numbers[place]!);
      const isReal = scaled || type === DataType.FLOAT || type === DataType.DOUBLE;
      return isReal && precision > 0 ? difference > 10 ** -precision : difference !== 0;
    }
    if (store === Store.INTEGER) return values.integers[place] !== this.#integers[place];
    const now = values.objects[place];
    const before = this.#objects[place];
    if (now instanceof Uint8Array && before instanceof Uint8Array) return Buffer.compare(now, before) !== 0;
    return now !== before;
  }
}

/** How far two integers lie apart; those without a sign are held as the same 64 bits. */
function distance(one: bigint, other: bigint, isUnsigned: boolean): bigint {
  const difference = isUnsigned ? BigInt.asUintN(64, one) - BigInt.asUintN(64, other) : one - other;
  return difference < 0n ? -difference : difference;
}
