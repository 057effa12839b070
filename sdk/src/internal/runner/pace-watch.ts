import type { Context } from '../../context.ts';
import type { Layout } from '../../sample.ts';

/** Readings in a row after which a group counts as slow, or as well again: a single one is a hiccup. */
const inRow = 3;

/** Notices that the readings of a group take longer than its interval. Logs that once. */
export class PaceWatch {
  readonly #log: Pick<Context['log'], 'warn'>;
  /** Of the latest readings: goes up with each that was too slow, down with each that was not. */
  #tooSlow = 0;
  #isSlow = false;
  #isLogged = false;

  constructor(log: Pick<Context['log'], 'warn'>) {
    this.#log = log;
  }

  /** Whether the group cannot keep its interval, after a reading that took `ms` milliseconds. */
  observe({ group, interval, columns }: Layout, ms: number): boolean {
    this.#tooSlow = ms > interval ? Math.min(this.#tooSlow + 1, inRow) : Math.max(this.#tooSlow - 1, 0);
    if (this.#tooSlow === inRow) this.#isSlow = true;
    if (this.#tooSlow === 0) this.#isSlow = false;
    if (this.#isSlow && !this.#isLogged) {
      this.#isLogged = true;
      this.#log.warn(
        `The group "${group}" cannot keep its interval of ${interval} ms: to read its ${columns.length} tags takes ${Math.round(ms)} ms. Give it a longer interval, or move tags that are needed less often to another group.`,
      );
    }
    return this.#isSlow;
  }
}
