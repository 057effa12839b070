import type { Clock } from '@tagway/sdk';
import { sleepOn } from '../../src/internal/runner/clock.ts';

/** A clock that stands still until `advance` is called. */
export class VirtualClock implements Clock {
  #now = 0;
  /** How far the wall clock is ahead of the time that has passed. */
  #wall = 1_700_000_000_000;
  #timers: { due: number; callback: () => void }[] = [];

  now(): number {
    return this.#wall + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timer(ms: number, callback: () => void): Disposable {
    const timer = { due: this.#now + ms, callback };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        this.#timers = this.#timers.filter((one) => one !== timer);
      },
    };
  }

  /** Timers that have not fired and were not disposed of. */
  get armed(): number {
    return this.#timers.length;
  }

  /** Goes on by `ms`, firing each timer at its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers
        .filter((timer) => timer.due <= end)
        .sort((one, other) => one.due - other.due)[0];
      if (!next) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
  }

  /** Goes on by `ms` without firing anything: the process was held up. */
  stall(ms: number): void {
    this.#now += ms;
  }

  /** Somebody sets the wall clock, by so many milliseconds forwards. */
  set(ms: number): void {
    this.#wall += ms;
  }
}
