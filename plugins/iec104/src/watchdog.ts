import type { Clock } from '@tagway/sdk';

/** Calls back once when nothing has happened for `ms` milliseconds. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #over: () => void;
  #since: number;
  #timer: Disposable;

  constructor(clock: Clock, ms: number, over: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#over = over;
    this.#since = clock.monotonic();
    this.#timer = clock.timer(ms, () => this.#check());
  }

  /** Something has happened: the time begins anew. */
  renew(): void {
    this.#since = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #check(): void {
    const left = this.#since + this.#ms - this.#clock.monotonic();
    if (left <= 0) this.#over();
    else this.#timer = this.#clock.timer(left, () => this.#check());
  }
}
