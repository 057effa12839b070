import { RetryTimer } from './retry-timer.ts';

/** Milliseconds after which a recovery has nothing to do with the one before. */
const apart = 600_000;

/**
 * Whether a device refuses everything, as one does that restarts. What it has refused in such a time says nothing about the tags: all of it is
 * asked again once the device answers anything. When that happens again and again, there are pauses between. Times are of any one clock.
 * @experimental May change until more drivers have used it.
 */
export class Recovery {
  /** Grows when everything that was refused is to be asked again. */
  epoch = 0;
  #refusesAll = false;
  #timer = new RetryTimer();
  #last = -Infinity;

  get refusesAll(): boolean {
    return this.#refusesAll;
  }

  /** All requests of a pass were refused. */
  refused(): void {
    this.#refusesAll = true;
  }

  /** A request was answered. Returns whether the device has recovered by that. */
  answered(now: number): boolean {
    if (!this.#refusesAll) return false;
    this.#refusesAll = false;
    if (now - this.#last > apart) this.#timer = new RetryTimer();
    this.#last = now;
    if (!this.#timer.due(now)) return false;
    this.#timer.refused(now);
    this.epoch++;
    return true;
  }
}
