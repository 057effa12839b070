import type { Clock } from '@tagway/sdk';

/** Milliseconds between two lines about the same kind of thing. */
const pause = 10_000;

/** Logs what may happen at every request of a client: once in ten seconds, with how many others there were since. */
export class LimitedLog {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: (sentence: string) => void;
  #loggedAt = -Infinity;
  #others = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, log: (sentence: string) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `sentence` gets the end of the line, which says how many were not logged. */
  add(sentence: (others: string) => string): void {
    const now = this.#clock.monotonic();
    if (now - this.#loggedAt < pause) {
      this.#others++;
      return;
    }
    this.#log(sentence(this.#others === 0 ? '' : ` ${this.#others} others since the last such line.`));
    this.#loggedAt = now;
    this.#others = 0;
  }
}
