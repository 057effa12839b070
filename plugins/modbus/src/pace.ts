import type { Clock } from '@tagway/sdk';

/** Keeps the interval between requests: after a request, and after its answer, the line stays quiet for so long. */
export class Pace {
  readonly #interval: number;
  readonly #clock: Clock;
  #quietUntil = 0;

  /** `interval` in milliseconds; 0 lets requests follow each other at once. */
  constructor(interval: number, clock: Clock) {
    this.#interval = interval;
    this.#clock = clock;
  }

  /** A request was sent, or its answer came. */
  used(): void {
    if (this.#interval > 0) this.#quietUntil = this.#clock.monotonic() + this.#interval;
  }

  /** Milliseconds until the next request may be sent. */
  get wait(): number {
    return this.#interval === 0 ? 0 : Math.max(0, this.#quietUntil - this.#clock.monotonic());
  }
}
