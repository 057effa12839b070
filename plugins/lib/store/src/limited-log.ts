import type { Clock } from '@tagway/sdk';

/** Writes the line of an event that may repeat at most once per interval, with the number of events since the last line. */
export class LimitedLog {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #interval: number;
  #next = -Infinity;
  #count = 0;

  /** `interval` in milliseconds. */
  constructor(clock: Pick<Clock, 'monotonic'>, interval = 60_000) {
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Counts events. Calls `write` when a line is due; `others` is the end of that line and counts the events without a line. */
  add(write: (others: string, count: number) => void, events = 1): void {
    this.#count += events;
    const now = this.#clock.monotonic();
    if (now < this.#next) return;
    this.#next = now + this.#interval;
    const count = this.#count;
    this.#count = 0;
    write(count > 1 ? ` This happened ${count - 1} more times since the last such line.` : '', count);
  }
}
