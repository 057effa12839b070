import { DataType } from '@tagway/schemas';
import { type Sample, Store } from '@tagway/sdk';
import { faultAt } from '@tagway/sdk/internal';
import type { Tag } from '../core/model.ts';

/** What one tag was at some times, ascending. Entry `i` of each array belongs to the same time. */
export interface Points {
  /** Milliseconds since the epoch. */
  readonly times: Float64Array;
  /** 0 where there is an error. */
  readonly values: Float64Array;
  /** Instead of `values`, where integers are too large for those. */
  readonly integers?: BigInt64Array | BigUint64Array | undefined;
  /** Error codes, 0 for none. Absent: there is none. */
  readonly errors?: Int32Array | undefined;
  /** Flags of `Quality`. Absent: all are good. */
  readonly qualities?: Uint32Array | undefined;
}

/** Where the rows of events are, by their columns: those of column `c` from `begins[c]` to `begins[c + 1]`. */
interface Events {
  readonly begins: Uint32Array;
  readonly samples: Uint32Array;
  readonly rows: Uint32Array;
}

/** Samples of one layout one after another. They are kept as they are: nothing is copied until they are stored or asked for. */
export class SampleRun {
  readonly tags: readonly Tag[];
  /** Nothing is known of the time between this run and the one before. */
  isAfterGap: boolean;
  readonly #samples: Sample[] = [];
  readonly #times: number[] = [];
  #wholes = 0;
  #values = 0;
  #wholeTimes: Float64Array | undefined;
  #events: Events | undefined;

  constructor(tags: readonly Tag[], isAfterGap: boolean) {
    this.tags = tags;
    this.isAfterGap = isAfterGap;
  }

  get first(): number {
    return this.#times[0] ?? 0;
  }

  get last(): number {
    return this.#times.at(-1) ?? 0;
  }

  /** Samples. */
  get length(): number {
    return this.#samples.length;
  }

  /** Values of all its samples. */
  get values(): number {
    return this.#values;
  }

  /** Samples that have all columns. */
  get wholes(): number {
    return this.#wholes;
  }

  add(sample: Sample): void {
    // Samples and events come from one clock, which may be read in another order.
    this.#times.push(Math.max(this.last, sample.timestamp));
    this.#samples.push(sample);
    this.#values += sample.rows?.length ?? this.tags.length;
    if (sample.rows === undefined) this.#wholes++;
    this.#wholeTimes = undefined;
    this.#events = undefined;
  }

  /** The times of its whole samples. */
  wholeTimes(): Float64Array {
    if (this.#wholeTimes !== undefined) return this.#wholeTimes;
    const times = new Float64Array(this.#wholes);
    let count = 0;
    for (const [index, sample] of this.#samples.entries())
      if (sample.rows === undefined) times[count++] = this.#times[index]!;
    return (this.#wholeTimes = times);
  }

  /** Whether there were events of a column. */
  hasEvents(column: number): boolean {
    const { begins } = (this.#events ??= this.#findEvents());
    return begins[column + 1]! > begins[column]!;
  }

  /** What the tag of a column was; undefined where it is a text. */
  points(column: number): Points | undefined {
    const place = this.#samples[0]?.layout.columns[column];
    if (place === undefined || place.store === Store.OBJECT) return undefined;
    const { begins, samples, rows } = (this.#events ??= this.#findEvents());
    let event = begins[column]!;
    const end = begins[column + 1]!;
    const points = new Gathered(
      this.#wholes + end - event,
      place.store === Store.INTEGER ? place.type : undefined,
    );
    for (const [index, sample] of this.#samples.entries()) {
      if (sample.rows === undefined) points.add(this.#times[index]!, sample, column, place.place);
      for (; event < end && samples[event] === index; event++)
        points.add(this.#times[index]!, sample, rows[event]!, rows[event]!);
    }
    return points.end(event === begins[column] ? this.wholeTimes() : undefined);
  }

  #findEvents(): Events {
    const begins = new Uint32Array(this.tags.length + 1);
    for (const { rows } of this.#samples) for (const column of rows ?? []) begins[column + 1]!++;
    for (let column = 0; column < this.tags.length; column++) begins[column + 1]! += begins[column]!;
    const total = begins[this.tags.length]!;
    const samples = new Uint32Array(total);
    const places = new Uint32Array(total);
    const next = begins.slice();
    for (const [index, { rows }] of this.#samples.entries())
      for (let row = 0; row < (rows?.length ?? 0); row++) {
        const at = next[rows![row]!]!++;
        samples[at] = index;
        places[at] = row;
      }
    return { begins, samples, rows: places };
  }
}

/** Points while they are gathered. */
class Gathered {
  readonly #times: Float64Array;
  readonly #values: Float64Array;
  readonly #integers: BigInt64Array | BigUint64Array | undefined;
  #errors: Int32Array | undefined;
  #qualities: Uint32Array | undefined;
  #length = 0;

  /** `type`: of integers of 64 bits. */
  constructor(count: number, type: DataType | undefined) {
    this.#times = new Float64Array(count);
    this.#values = new Float64Array(count);
    if (type === DataType.UINT64) this.#integers = new BigUint64Array(count);
    else if (type !== undefined) this.#integers = new BigInt64Array(count);
  }

  /** `index`: of its fault and its quality, which is the column or the row; `place`: of its value. */
  add(time: number, sample: Sample, index: number, place: number): void {
    const at = this.#length++;
    this.#times[at] = time;
    const fault = sample.faults.length === 0 ? -1 : faultAt(sample, index);
    if (fault >= 0) (this.#errors ??= new Int32Array(this.#times.length))[at] = sample.faults[fault * 2 + 1]!;
    else if (this.#integers === undefined) this.#values[at] = sample.numbers[place]!;
    else this.#integers[at] = sample.integers[place]!;
    const quality = sample.qualities?.[index] ?? 0;
    if (quality !== 0) (this.#qualities ??= new Uint32Array(this.#times.length))[at] = quality;
  }

  /** `times`: the same times, where others share them. */
  end(times = this.#times): Points {
    const rest = { times, values: this.#values, errors: this.#errors, qualities: this.#qualities };
    if (this.#integers === undefined) return rest;
    for (const [index, value] of this.#integers.entries()) {
      if (!isSafe(value)) return { ...rest, integers: this.#integers };
      this.#values[index] = Number(value);
    }
    return rest;
  }
}

const isSafe = (value: bigint): boolean =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
