import type { RunnerClock } from '@tagway/sdk/internal';

/** A clock that stands still until `advance` is called. */
export class VirtualClock implements RunnerClock {
  #now = 0;
  #timers: { due: number; callback: () => void }[] = [];

  now(): number {
    return 1_700_000_000_000 + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.timer(ms, resolve);
    });
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
}
