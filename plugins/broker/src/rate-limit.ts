import type { Clock } from '@tagway/sdk';

/** The end of a line that stands for several events: `told` is what `add` returned. */
export function othersSince(told: number): string {
  return told > 1 ? ` This happened ${told - 1} more times since the line like this before.` : '';
}

/** Lets a repeated event be told once per interval, with the number of times it happened since. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #interval: number;
  #next = -Infinity;
  #count = 0;

  /** `interval` in milliseconds. */
  constructor(clock: Clock, interval = 60_000) {
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Counts an event. Returns the number of events to tell of now, or 0 to keep silent. */
  add(events = 1): number {
    this.#count += events;
    const now = this.#clock.now();
    if (now < this.#next) return 0;
    this.#next = now + this.#interval;
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}
