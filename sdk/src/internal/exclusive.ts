/** Runs work one after another per key, in the order of asking: for things that several nodes share, such as a serial port. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const before = this.#tails.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      signal?.throwIfAborted();
      return await work();
    })();
    this.#tails.set(key, turn);
    // The place in the queue is kept until the turn has come, so that those behind stay in order; only the wait ends at once.
    turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === turn) this.#tails.delete(key);
      });
    return await (signal === undefined || before === undefined ? turn : abortable(turn, signal, before));
  }
}

/** Settles like `turn`, or rejects with the signal's reason while what is `before` it is still under way. */
async function abortable<T>(turn: Promise<T>, signal: AbortSignal, before: Promise<unknown>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const stopListening = (): void => signal.removeEventListener('abort', abort);
  before.then(stopListening, stopListening);
  try {
    return await Promise.race([turn, promise]);
  } finally {
    stopListening();
  }
}
