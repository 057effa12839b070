import { Store, type Sample } from '@tagway/sdk';
import { MetricWriter, wordsOf, type Values } from './metric-writer.ts';
import type { GroupPlan } from './group-plan.ts';
import { Grade, gradeOf } from './properties.ts';
import { ValueKey } from './wire.ts';

/** All groups share one writer: it is only used synchronously. */
const writer = new MetricWriter();

/** What is known of a metric. */
const Known = { NOTHING: 0, VALUE: 1, NULL: 2 } as const;

/**
 * The last reported value of each metric of a group: the next sample is compared with it, and births contain it. A tag is reported when it
 * is due and its value differs, or, with `all`, whenever it is due.
 */
export class GroupState {
  readonly plan: GroupPlan;
  /** True when a whole sample of this layout has come; false again when a birth should wait for new values. */
  isFresh = false;
  readonly #all: boolean;
  readonly #known: Uint8Array;
  readonly #grades: Uint8Array;
  readonly #times: Float64Array;
  readonly #numbers: Float64Array;
  readonly #words: Uint32Array;
  readonly #objects: (string | Uint8Array)[];

  constructor(plan: GroupPlan, all: boolean) {
    const { columns } = plan.layout;
    const lengths = [0, 0, 0];
    for (const { store } of columns) lengths[store] = (lengths[store] as number) + 1;
    this.plan = plan;
    this.#all = all;
    this.#known = new Uint8Array(columns.length);
    this.#grades = new Uint8Array(columns.length);
    this.#times = new Float64Array(columns.length).fill(NaN);
    this.#numbers = new Float64Array(lengths[Store.NUMBER] as number);
    this.#words = new Uint32Array((lengths[Store.INTEGER] as number) * 2);
    this.#objects = new Array<string | Uint8Array>(lengths[Store.OBJECT] as number).fill('');
  }

  /** The metrics that a sample reports: several messages when a metric has several values, none when nothing has changed. */
  take(sample: Sample): readonly Buffer[] {
    this.isFresh ||= sample.rows === undefined;
    return sample.rows === undefined ? this.#takeWhole(sample) : this.#takeEvents(sample, sample.rows);
  }

  /** All metrics with their names, types and values, for a birth. `now` is the time of those that have no value. */
  born(now: number): Buffer {
    const { plan } = this;
    const { columns, writeOnly } = plan.layout;
    const values: Values = { numbers: this.#numbers, words: this.#words, objects: this.#objects };
    writer.start();
    for (let column = 0; column < columns.length; column++) {
      const time = this.#times[column] as number;
      const grade = this.#grades[column] as Grade;
      if (this.#known[column] === Known.VALUE)
        writer.value(
          plan.birth,
          column,
          time,
          grade,
          plan.valueKeys[column] as ValueKey,
          values,
          plan.places[column] as number,
        );
      else writer.null(plan.birth, column, Number.isNaN(time) ? now : time, grade);
    }
    for (let index = 0; index < writeOnly.length; index++)
      writer.null(plan.birth, columns.length + index, now, Grade.OMITTED);
    return writer.finish() ?? Buffer.alloc(0);
  }

  #takeWhole(sample: Sample): readonly Buffer[] {
    const { due, faults, numbers, objects, qualities, timestamps, timestamp } = sample;
    const { data, valueKeys, places } = this.plan;
    const values: Values = { numbers, words: wordsOf(sample.integers), objects };
    const known = this.#known;
    let pair = 0;
    writer.start();
    for (let column = 0; column < known.length; column++) {
      let fault = 0;
      if (faults[pair] === column) {
        fault = faults[pair + 1] as number;
        pair += 2;
      }
      if (due !== undefined && due[column] === 0) continue;
      const quality = qualities === undefined ? 0 : (qualities[column] as number);
      const valueKey = valueKeys[column] as ValueKey;
      const place = places[column] as number;
      if (!this.#all && this.#isSame(column, fault, quality, values, place)) continue;
      const grade = this.#keep(column, fault, quality, values, place);
      const own = timestamps === undefined ? NaN : (timestamps[column] as number);
      const time = own === own ? own : timestamp;
      this.#times[column] = time;
      if (fault !== 0) writer.null(data, column, time, grade);
      else writer.value(data, column, time, grade, valueKey, values, place);
    }
    const metrics = writer.finish();
    return metrics === undefined ? [] : [metrics];
  }

  #takeEvents(sample: Sample, rows: Uint32Array): readonly Buffer[] {
    const { faults, numbers, objects, qualities, timestamps, timestamp } = sample;
    const { data, valueKeys } = this.plan;
    const values: Values = { numbers, words: wordsOf(sample.integers), objects };
    const messages: Buffer[] = [];
    let seen = new Set<number>();
    let pair = 0;
    writer.start();
    for (let row = 0; row < rows.length; row++) {
      const column = rows[row] as number;
      let fault = 0;
      if (faults[pair] === row) {
        fault = faults[pair + 1] as number;
        pair += 2;
      }
      if (seen.has(column)) {
        messages.push(writer.finish() as Buffer);
        writer.start();
        seen = new Set();
      }
      seen.add(column);
      const valueKey = valueKeys[column] as ValueKey;
      const grade = this.#keep(column, fault, qualities?.[row] ?? 0, values, row);
      const own = timestamps?.[row] ?? NaN;
      const time = Number.isNaN(own) ? timestamp : own;
      this.#times[column] = time;
      if (fault !== 0) writer.null(data, column, time, grade);
      else writer.value(data, column, time, grade, valueKey, values, row);
    }
    const metrics = writer.finish();
    return metrics === undefined ? messages : [...messages, metrics];
  }

  #isSame(
    column: number,
    fault: number,
    quality: number,
    { numbers, words, objects }: Values,
    place: number,
  ): boolean {
    if (this.#known[column] !== (fault === 0 ? Known.VALUE : Known.NULL)) return false;
    if (quality !== 0 || this.#grades[column] !== Grade.OMITTED) {
      const grade = gradeOf(quality);
      const last = this.#grades[column] as Grade;
      if (grade !== (last === Grade.GOOD ? Grade.OMITTED : last)) return false;
    }
    if (fault !== 0) return true;
    const valueKey = this.plan.valueKeys[column] as ValueKey;
    if (valueKey === ValueKey.LONG) {
      return (
        words[place * 2] === this.#words[place * 2] && words[place * 2 + 1] === this.#words[place * 2 + 1]
      );
    }
    if (valueKey < ValueKey.STRING) {
      const value = numbers[place] as number;
      const last = this.#numbers[place] as number;
      return value === last || (value !== value && last !== last);
    }
    return isSameObject(objects[place], this.#objects[place]);
  }

  /** Keeps the reported value of a metric, and returns the quality to report. */
  #keep(
    column: number,
    fault: number,
    quality: number,
    { numbers, words, objects }: Values,
    place: number,
  ): Grade {
    const last = this.#grades[column];
    let grade: Grade = quality === 0 ? Grade.OMITTED : gradeOf(quality);
    // A host keeps the last reported quality, so a return to good is reported.
    if (grade === Grade.OMITTED && (last === Grade.STALE || last === Grade.BAD)) grade = Grade.GOOD;
    this.#grades[column] = grade;
    if (fault !== 0) {
      this.#known[column] = Known.NULL;
      return grade;
    }
    this.#known[column] = Known.VALUE;
    const valueKey = this.plan.valueKeys[column] as ValueKey;
    const own = this.plan.places[column] as number;
    if (valueKey === ValueKey.LONG) {
      this.#words[own * 2] = words[place * 2] as number;
      this.#words[own * 2 + 1] = words[place * 2 + 1] as number;
    } else if (valueKey < ValueKey.STRING) this.#numbers[own] = numbers[place] as number;
    else this.#objects[own] = objects[place] ?? '';
    return grade;
  }
}

function isSameObject(one: string | Uint8Array | undefined, other: string | Uint8Array | undefined): boolean {
  if (one === other || typeof one === 'string' || typeof other === 'string') return one === other;
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}
