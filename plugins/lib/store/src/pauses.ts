/** Milliseconds before the second attempt; each further one waits twice as long. */
const first = 500;
const longest = 15_000;

/** Most milliseconds that a store is left alone for because it asks for it. */
const longestAsked = 3_600_000;

/** Waits between attempts that fail. They are random, so that gateways that lost the same store do not all come back at the same moment. */
export class Pauses {
  #next = first;

  /** Milliseconds; at least as many as the store asks for. */
  next(asked = 0): number {
    const pause = this.#next;
    this.#next = Math.min(pause * 2, longest);
    return Math.max(pause * (0.5 + Math.random() / 2), Math.min(asked, longestAsked));
  }

  reset(): void {
    this.#next = first;
  }
}
