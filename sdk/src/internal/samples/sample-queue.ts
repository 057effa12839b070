import type { Sample } from '../../sample.ts';

/** The part of a sample that a queue needs, in host and runner alike. */
export type QueuedSample = Omit<Sample, 'layout'> & {
  /** Apps do not get it: nothing is owed because of it, and it pays nothing. */
  readonly forCache?: true;
};

/** Approximate size of a sample in bytes. */
export function sizeOf(sample: QueuedSample): number {
  const { numbers, integers, objects, faults, due, rows, timestamps, qualities } = sample;
  let size = 128 + numbers.byteLength + integers.byteLength + faults.byteLength;
  size += (due?.byteLength ?? 0) + (rows?.byteLength ?? 0);
  size += (timestamps?.byteLength ?? 0) + (qualities?.byteLength ?? 0);
  for (const item of objects) size += 24 + item.length;
  return size;
}

/** Most versions of groups for which columns are remembered as owed. */
const mostOwed = 1000;

/** Functions that a queue calls with its samples. */
export interface QueueEvents<S> {
  readonly versionOf: (sample: S) => number;
  /** The sample was dropped, because newer ones did not fit. */
  readonly dropped: (sample: S) => void;
}

/** A function that is called in its order among the samples, such as one that reports a lost link. It is never dropped. */
export type Notice = () => void;

/**
 * Samples for a slow receiver: the newest that fit, oldest first. The columns that were due in a dropped sample become due in the next
 * whole sample of its group, so that a change is late but never lost.
 */
export class SampleQueue<S extends QueuedSample> {
  readonly #limit: number;
  readonly #versionOf: (sample: S) => number;
  readonly #dropped: (sample: S) => void;
  #items: (S | Notice)[] = [];
  #bytes = 0;
  /** Columns that are due in the next whole sample of a version because a sample was dropped; undefined: all. */
  readonly #owed = new Map<number, Uint8Array | undefined>();

  constructor(limitBytes: number, { versionOf, dropped }: QueueEvents<S>) {
    this.#limit = limitBytes;
    this.#dropped = dropped;
    this.#versionOf = versionOf;
  }

  get length(): number {
    return this.#items.length;
  }

  push(item: S | Notice): void {
    if (typeof item === 'function') {
      this.#items.push(item);
      return;
    }
    const sample = this.#settle(item);
    this.#items.push(sample);
    this.#bytes += sizeOf(sample);
    while (this.#bytes > this.#limit) {
      const at = this.#items.findIndex((one) => typeof one !== 'function');
      if (at < 0 || this.#items[at] === sample) break;
      const [oldest] = this.#items.splice(at, 1) as [S];
      this.#drop(oldest);
    }
  }

  shift(): S | Notice | undefined {
    const item = this.#items.shift();
    if (item !== undefined && typeof item !== 'function') this.#bytes -= sizeOf(item);
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#bytes = 0;
    this.#owed.clear();
  }

  #drop(oldest: S): void {
    this.#bytes -= sizeOf(oldest);
    this.#dropped(oldest);
    if (oldest.forCache === true) return;
    const version = this.#versionOf(oldest);
    this.#owe(version, oldest);
    const successor = this.#items.findIndex(
      (one) => typeof one !== 'function' && paysDebts(one) && this.#versionOf(one) === version,
    );
    if (successor >= 0) this.#items[successor] = this.#settle(this.#items[successor] as S);
  }

  #owe(version: number, { due, rows }: S): void {
    const owed = this.#owed.get(version);
    if (this.#owed.has(version) && owed === undefined) return;
    if (rows === undefined && due === undefined) {
      this.#owed.set(version, undefined);
    } else {
      const most = rows === undefined ? (due?.length ?? 0) : mostOf(rows) + 1;
      const sum = new Uint8Array(Math.max(owed?.length ?? 0, most));
      if (owed !== undefined) sum.set(owed);
      if (rows === undefined) due?.forEach((isDue, column) => (sum[column] = sum[column]! | isDue));
      else rows.forEach((column, row) => (sum[column] = sum[column]! | (due?.[row] ?? 1)));
      this.#owed.set(version, sum);
    }
    const [first] = this.#owed.keys();
    if (this.#owed.size > mostOwed && first !== undefined) this.#owed.delete(first);
  }

  /** The sample, with the columns due that dropped samples owe. */
  #settle(sample: S): S {
    const version = this.#versionOf(sample);
    if (!paysDebts(sample) || !this.#owed.has(version)) return sample;
    const owed = this.#owed.get(version);
    this.#owed.delete(version);
    const { due, ...rest } = sample;
    if (due === undefined) return sample;
    if (owed === undefined) return rest as S;
    return { ...sample, due: due.map((isDue, column) => isDue | (owed[column] ?? 0)) };
  }
}

/** Whether a sample may have the columns due that dropped ones owe. */
function paysDebts({ rows, forCache }: QueuedSample): boolean {
  return rows === undefined && forCache !== true;
}

function mostOf(rows: Uint32Array): number {
  return rows.reduce((most, column) => Math.max(most, column), -1);
}
