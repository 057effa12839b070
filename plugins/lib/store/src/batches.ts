import { randomBytes } from 'node:crypto';
import type { Clock } from '@tagway/sdk';
import type { Spool, SpoolRecord } from '@tagway/sdk/spool';
import type { Batch } from './store.ts';

/** Part of its size from which a batch waits for nothing more: a request costs little beside so much. */
const enough = 0.2;

export interface BatchLimits {
  /** Bytes after which a batch takes no further record. */
  readonly size: number;
  /** Milliseconds that a batch of less than a fifth of the size waits for further records while the store takes batches. */
  readonly age: number;
}

type BatchClock = Pick<Clock, 'now' | 'monotonic'>;

/**
 * Cuts the records of a spool into batches. Which batch a record belongs to is decided when it is pushed and kept with it, as the key of the
 * spool's record, so that a batch that is sent again after a crash is the same one and has the same id.
 */
export class Batches {
  readonly #spool: Spool;
  readonly #clock: BatchClock;
  readonly #limits: BatchLimits;
  /** Differs from those of all other runs. */
  readonly #run = randomBytes(6).toString('hex');
  #last = 0;
  /** The batch that takes records. */
  #open: { readonly id: string; readonly since: number; bytes: number; records: number } | undefined;
  /** The records of the next batch that were taken from the spool so far, and the one after them. */
  #taken: SpoolRecord[] = [];
  #next: SpoolRecord | undefined;

  constructor(spool: Spool, clock: BatchClock, limits: BatchLimits) {
    this.#spool = spool;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Keeps a record. Returns whether something may have become due: it begins a batch, or fills one so far that it does not wait. */
  push(data: Uint8Array): boolean {
    let open = this.#open;
    if (open !== undefined && open.bytes + data.length > this.#limits.size) open = undefined;
    const begins = open === undefined;
    if (open === undefined) {
      const now = Math.trunc(this.#clock.now());
      const id = `${this.#run}-${++this.#last}-${now.toString(36)}`;
      this.#open = open = { id, since: this.#clock.monotonic(), bytes: 0, records: 0 };
    }
    open.bytes += data.length;
    open.records++;
    this.#spool.push(open.id, data);
    return begins || this.#isEnough(open.bytes);
  }

  /** Milliseconds until the batch that takes records is due; undefined when there is none. */
  get dueIn(): number | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    if (this.#isEnough(open.bytes)) return 0;
    return Math.max(0, open.since + this.#limits.age - this.#clock.monotonic());
  }

  /** Whether a batch is complete, or nothing more is to be waited for. */
  get isDue(): boolean {
    if (this.#taken.length > 0 || this.#next !== undefined) return true;
    const { waiting } = this.#spool;
    // The spool had no room for what the batch held.
    if (waiting === 0) this.#open = undefined;
    return waiting > 0 && (waiting > (this.#open?.records ?? 0) || this.dueIn === 0);
  }

  /** Takes the oldest batch. Undefined when there is none, or when it is still being read from the disk: the spool's `onReady` follows. */
  take(): Batch | undefined {
    const first = this.#taken[0] ?? this.#next ?? this.#spool.take();
    if (first === undefined) return undefined;
    if (this.#taken.length === 0) this.#taken.push(first);
    this.#next = undefined;
    // From now on it is complete: what is pushed goes into the next one.
    if (this.#open?.id === first.key) this.#open = undefined;
    for (;;) {
      const record = this.#spool.take();
      if (record === undefined) {
        if (this.#spool.waiting > 0) return undefined;
        break;
      }
      if (record.key !== first.key) {
        this.#next = record;
        break;
      }
      this.#taken.push(record);
    }
    const records = this.#taken;
    this.#taken = [];
    const time = parseInt(first.key.slice(first.key.lastIndexOf('-') + 1), 36);
    return { id: first.key, time, records, bytes: records.reduce((sum, { data }) => sum + data.length, 0) };
  }

  /** The store has the batch, or will never take it. */
  acknowledge({ records }: Batch): void {
    for (const record of records) this.#spool.acknowledge(record as SpoolRecord);
  }

  #isEnough(bytes: number): boolean {
    return bytes >= this.#limits.size * enough;
  }

  /** All that was taken waits again. */
  release(): void {
    this.#taken = [];
    this.#next = undefined;
    this.#spool.disconnected();
  }
}
