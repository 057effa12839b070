import type { Clock } from '../context.ts';

/** Node's timers take at most this many milliseconds; longer intervals are armed again on the way. */
const longestTimer = 0x7fff_ffff;

/**
 * Ticks at `t0 + k · interval` by the monotonic clock, so that lateness never adds up and a step of the wall clock changes
 * nothing. A tick whose time has gone by when the timer fires is not made up for.
 */
export class Schedule implements Disposable {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #tick: (skipped: number) => void;
  #due: number;
  #timer: Disposable;

  /**
   * The first tick comes after `phase` milliseconds. `tick` is told how many ticks were skipped before it because the
   * process was held up for longer than an interval.
   */
  constructor(clock: Clock, interval: number, phase: number, tick: (skipped: number) => void) {
    this.#clock = clock;
    this.#interval = interval;
    this.#tick = tick;
    this.#due = clock.monotonic() + phase;
    this.#timer = this.#arm(clock.monotonic());
  }

  #arm(now: number): Disposable {
    return this.#clock.timer(Math.min(longestTimer, Math.max(1, Math.ceil(this.#due - now))), () =>
      this.#fire(),
    );
  }

  #fire(): void {
    const now = this.#clock.monotonic();
    // Timers count whole milliseconds and may fire a fraction early.
    if (now >= this.#due - 0.5) {
      const late = Math.max(0, Math.floor((now - this.#due) / this.#interval));
      this.#due += (late + 1) * this.#interval;
      this.#tick(late);
    }
    this.#timer = this.#arm(this.#clock.monotonic());
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}

/** Spreads groups over their interval, so that they do not all poll at the same moment; at most a second late. */
export function phaseOf(group: number, interval: number): number {
  const goldenRatio = 0.618_033_988_75;
  return ((group * goldenRatio) % 1) * Math.min(interval, 1000);
}
