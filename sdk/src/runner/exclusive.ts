/** Runs work one after another per key, in the order of asking: for things that several nodes share, such as a serial port. */
export class Exclusive {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return await work();
    })();
    this.#tails.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === turn) this.#tails.delete(key);
    }
  }
}
