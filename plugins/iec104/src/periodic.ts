import type { Clock } from '@tagway/sdk';

/** Does something again and again while a connection lasts, each time so many milliseconds after the last one has ended. */
export class Periodic {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #work: () => Promise<void>;
  #timer: Disposable | undefined;
  /** Counts starts and ends: what goes on of an earlier one arms nothing. */
  #round = 0;

  /** 0 milliseconds: once, at the start. `work` does not reject. */
  constructor(clock: Clock, ms: number, work: () => Promise<void>) {
    this.#clock = clock;
    this.#ms = ms;
    this.#work = work;
  }

  /** The first time is now; resolves when that has ended. */
  async start(): Promise<void> {
    this.stop();
    const round = this.#round;
    await this.#work();
    if (round === this.#round && this.#ms > 0)
      this.#timer = this.#clock.timer(this.#ms, () => void this.start());
  }

  stop(): void {
    this.#round++;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
