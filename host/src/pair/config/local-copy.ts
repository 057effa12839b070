import type { Store, StoreChanges } from '../../core/ports/ports.ts';
import type { Head } from './config-log.ts';
import type { Changes, Entry } from './packed-changes.ts';

/** The record that says up to which change of the pair's log a folder has the configuration. A gateway without a pair deletes it. */
export const appliedKey = 'pair/applied';

/** Milliseconds between two attempts to write what the disk has refused. */
const retryAfter = 1000;

/** Says something to the operator. */
type Report = (sentence: string) => void;

/**
 * The local copy of the pair's configuration, from which a gateway starts: its own store, with the number of the last change that it has.
 * Changes that the disk refuses wait, in order, until they can be written.
 */
export class LocalCopy {
  readonly #store: Store;
  readonly #report: Report;
  #waiting: { readonly head: Head; readonly changes: StoreChanges }[] = [];
  #applied: Head | undefined;
  /** The last change that is on the disk. */
  #stored: Head | undefined;
  #timer: NodeJS.Timeout | undefined;
  #behindSince: number | undefined;
  /** Why the disk refused the changes that wait. */
  problem: unknown;

  constructor(store: Store, report: Report) {
    this.#store = store;
    this.#report = report;
  }

  /** The last change of the pair that it has; undefined when what it has is not the pair's. */
  get applied(): Head | undefined {
    return this.#applied;
  }

  get stored(): Head | undefined {
    return this.#stored;
  }

  /** The disk has refused some change of the pair. */
  get isBehind(): boolean {
    return this.#behindSince !== undefined;
  }

  /** `performance.now()` of the moment since which it is behind. */
  get behindSince(): number | undefined {
    return this.#behindSince;
  }

  /** All records except the one of `appliedKey`, ascending by key. */
  async load(): Promise<[key: string, record: unknown][]> {
    const entries = await this.#store.load();
    const applied = entries.find(([key]) => key === appliedKey)?.[1];
    if (this.#waiting.length === 0) this.#stored = this.#applied = isHead(applied) ? applied : undefined;
    return entries.filter(([key]) => key !== appliedKey);
  }

  /** Writes the change with the number of `head`. Resolves also when the disk refuses it for now, which is reported once. */
  async apply(head: Head, changes: Changes): Promise<void> {
    const mark: Entry = [appliedKey, head];
    this.#waiting.push({ head, changes: { set: [...changes.set, mark], delete: changes.delete } });
    this.#applied = head;
    await this.flush();
  }

  /** Tries to write the changes that wait. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await this.#store.commit(next.changes);
        this.#stored = next.head;
        this.#waiting.shift();
      }
    } catch (error) {
      this.problem = error;
      if (!this.isBehind)
        this.#report(
          'The pair has a change of the configuration that this gateway cannot store, so that it takes no further ones: ' +
            `${error instanceof Error ? error.message : String(error)} It tries again every second.`,
        );
      this.#behindSince ??= performance.now();
      this.#timer = setTimeout(() => void this.flush(), retryAfter).unref();
      return;
    }
    if (this.isBehind) this.#report('This gateway has stored what the pair has of the configuration.');
    this.#behindSince = undefined;
    this.problem = undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

function isHead(thing: unknown): thing is Head {
  const { n, generation } = (thing ?? {}) as Partial<Head>;
  return Number.isSafeInteger(n) && typeof generation === 'string';
}
