import type { Clock } from '@tagway/sdk';

/** Repeats work while a connection lasts, each time `ms` milliseconds after the work before has ended. */
export class Periodic {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #work: () => Promise<void>;
  #timer: Disposable | undefined;
  /** Counts starts and ends: work that began in an earlier round sets no timer. */
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
