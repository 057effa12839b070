import { abortable } from '../../abortable.ts';

/** Runs the work of each key one after another, in the order of the calls: for things that several nodes share, such as a serial port. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const before = this.#tails.get(key);
    let hasBegun = false;
    const turn = (async () => {
      await before?.catch(() => undefined);
      signal?.throwIfAborted();
      hasBegun = true;
      return await work();
    })();
    this.#tails.set(key, turn);
    // An aborted call keeps its place in the queue, so that those behind it stay in order; only its wait ends at once.
    turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === turn) this.#tails.delete(key);
      });
    if (before !== undefined)
      await abortable(Promise.allSettled([before]), signal).catch((error: unknown) => {
        // Once the work has begun, the work itself observes the signal.
        if (!hasBegun) throw error;
      });
    return await turn;
  }
}
