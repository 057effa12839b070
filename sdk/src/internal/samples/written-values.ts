import type { Value } from '../../value.ts';
import type { ColumnValues } from './column-values.ts';

interface Entry {
  readonly value: Exclude<Value, boolean>;
  readonly time: number;
  /** The number of the write. */
  readonly at: number;
}

/** What a device has confirmed to take, by column, until a reading that began later has shown what it has. */
export class WrittenValues {
  readonly #entries = new Map<number, Entry>();
  #writes = 0;

  /** How often something was written so far. */
  get writes(): number {
    return this.#writes;
  }

  get columns(): Iterable<number> {
    return this.#entries.keys();
  }

  note(column: number, value: Value, time: number): void {
    const plain = typeof value === 'boolean' ? Number(value) : value;
    this.#entries.set(column, { value: plain, time, at: ++this.#writes });
  }

  /** Takes the place of older values in a reading that began after `since` writes; forgets what the reading is newer than. */
  correct(reading: ColumnValues, since: number): void {
    if (this.#entries.size === 0) return;
    for (const [column, { at }] of this.#entries) {
      if (at <= since) this.#entries.delete(column);
      else this.put(column, reading, reading.timestamps !== undefined);
    }
  }

  /** Stores the value of one column; `timed`: with its time. */
  put(column: number, into: ColumnValues, timed: boolean): void {
    const entry = this.#entries.get(column);
    if (entry === undefined) return;
    into.set(column, entry.value);
    into.stamp(column, timed ? entry.time : NaN, 0);
  }

  clear(): void {
    this.#entries.clear();
  }
}
