import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../../fault.ts';
import { Store } from '../../sample.ts';
import type { ColumnValues } from './column-values.ts';
import type { GroupColumns } from './group-columns.ts';
import type { SampleData } from '../channel/protocol.ts';
import { roundTo } from './rounding.ts';
import { FaultList } from './sample-builder.ts';

const nothing = new Fault(ErrorCode.NOT_READY);

/** Collects changes of columns, row by row, for one event sample. */
export class EventSample {
  readonly #columns: GroupColumns;
  readonly #rows: number[] = [];
  readonly #numbers: number[] = [];
  readonly #integers: bigint[] = [];
  readonly #objects: (string | Uint8Array)[] = [];
  readonly #times: number[] = [];
  readonly #qualities: number[] = [];
  readonly #due: number[] = [];
  readonly #faults = new FaultList();
  #dueCount = 0;
  #hasIntegers = false;
  #hasObjects = false;
  #hasTimes = false;
  #hasQualities = false;

  constructor(columns: GroupColumns) {
    this.#columns = columns;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Whether apps get any of them. */
  get hasDue(): boolean {
    return this.#dueCount > 0;
  }

  /** Whether a column comes several times. */
  get hasRepeats(): boolean {
    return new Set(this.#rows).size < this.#rows.length;
  }

  /** Adds the present value of a column as a row. `isDue`: for apps, too, and not only for the cache and for drivers that read the group. */
  add(column: number, values: ColumnValues, isDue: boolean): void {
    const row = this.#rows.length;
    this.#due.push(Number(isDue));
    this.#dueCount += Number(isDue);
    const fault = values.faultOf(column, nothing);
    const { store, place, precision } = this.#columns.layout.columns[column]!;
    this.#rows.push(column);
    this.#numbers.push(0);
    this.#integers.push(0n);
    this.#objects.push('');
    if (fault !== undefined) {
      this.#faults.add(row, fault);
    } else if (store === Store.NUMBER) {
      const number = values.numbers[place]!;
      this.#numbers[row] = precision > 0 ? roundTo(number, precision) : number;
    } else if (store === Store.INTEGER) {
      this.#integers[row] = values.integers[place]!;
      this.#hasIntegers = true;
    } else {
      this.#objects[row] = values.objects[place]!;
      this.#hasObjects = true;
    }
    const time = values.timeOf(column);
    const quality = values.qualityOf(column);
    this.#times.push(time);
    this.#qualities.push(quality);
    this.#hasTimes ||= !Number.isNaN(time);
    this.#hasQualities ||= quality !== 0;
  }

  finish(timestamp: number): SampleData {
    const { group, layout } = this.#columns;
    const isMixed = this.#dueCount > 0 && this.#dueCount < this.#rows.length;
    return {
      group,
      version: layout.version,
      timestamp,
      rows: Uint32Array.from(this.#rows),
      numbers: Float64Array.from(this.#numbers),
      integers: this.#hasIntegers ? BigInt64Array.from(this.#integers) : new BigInt64Array(0),
      objects: this.#hasObjects ? this.#objects : [],
      ...this.#faults.end(),
      ...(isMixed && { due: Uint8Array.from(this.#due) }),
      ...(this.#dueCount === 0 && { forCache: true }),
      ...(this.#hasTimes && { timestamps: Float64Array.from(this.#times) }),
      ...(this.#hasQualities && { qualities: Uint32Array.from(this.#qualities) }),
    };
  }
}
