import type { Store, StoreChanges } from '../core/ports.ts';
import type { Head } from './config-log.ts';
import type { Changes, Entry } from './packed-changes.ts';

/** The record that says up to which change of the pair's log a folder has the configuration. A gateway without a pair deletes it. */
export const appliedKey = 'pair/applied';

/** Milliseconds between two attempts to write what the disk has refused. */
const retryAfter = 1000;

/** Says something to the operator. */
type Tell = (sentence: string) => void;

/**
 * What a gateway of a pair boots from: its own store, with the number of the change up to which it has the pair's. What the disk refuses
 * waits, in order, until it is taken.
 */
export class LocalCopy {
  readonly #store: Store;
  readonly #tell: Tell;
  #waiting: StoreChanges[] = [];
  #applied: Head | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTold = false;
  /** Why the disk refused what waits. */
  problem: unknown;

  constructor(store: Store, tell: Tell) {
    this.#store = store;
    this.#tell = tell;
  }

  /** The last change of the pair that it has; undefined when what it has is not the pair's. */
  get applied(): Head | undefined {
    return this.#applied;
  }

  /** Something that the pair has is not on this disk. */
  get isBehind(): boolean {
    return this.#waiting.length > 0;
  }

  /** All records but the one about the pair, ascending by key. */
  async load(): Promise<[key: string, record: unknown][]> {
    const entries = await this.#store.load();
    const applied = entries.find(([key]) => key === appliedKey)?.[1];
    if (!this.isBehind) this.#applied = isHead(applied) ? applied : undefined;
    return entries.filter(([key]) => key !== appliedKey);
  }

  /** Takes the change that made `head`. Resolves also when the disk refuses it for now, which is said once. */
  async apply(head: Head, changes: Changes): Promise<void> {
    const mark: Entry = [appliedKey, head];
    this.#waiting.push({ set: [...changes.set, mark], delete: changes.delete });
    this.#applied = head;
    await this.flush();
  }

  /** Tries to write what waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await this.#store.commit(next);
        this.#waiting.shift();
      }
    } catch (error) {
      this.problem = error;
      if (!this.#isTold)
        this.#tell(
          'The pair has a change of the configuration that this gateway cannot store, so that it takes no further ones: ' +
            `${error instanceof Error ? error.message : String(error)} It tries again every second.`,
        );
      this.#isTold = true;
      this.#timer = setTimeout(() => void this.flush(), retryAfter).unref();
      return;
    }
    if (this.#isTold) this.#tell('This gateway has stored what the pair has of the configuration.');
    this.#isTold = false;
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
