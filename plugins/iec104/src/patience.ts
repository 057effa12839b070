import type { Clock } from '@tagway/sdk';

/** Calls back once when nothing has happened for so many milliseconds. */
export class Patience implements Disposable {
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
    this.#timer = clock.timer(ms, () => this.#look());
  }

  /** Something has happened. */
  renew(): void {
    this.#since = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #look(): void {
    const left = this.#since + this.#ms - this.#clock.monotonic();
    if (left <= 0) this.#over();
    else this.#timer = this.#clock.timer(left, () => this.#look());
  }
}
