import type { Clock } from '../../context.ts';

/** Node's timers take at most this many milliseconds; longer times are armed again on the way. */
const longestTimer = 0x7fff_ffff;

/** Waits for a time. */
interface Sleeper {
  wake(now: number): void;
}

/** One timer for all sleepers: those of the same millisecond are woken together. */
export class Alarms {
  readonly #clock: Clock;
  /** By the millisecond, in the time of the clock's `monotonic`. */
  readonly #sleepers = new Map<number, Sleeper[]>();
  #timer: Disposable | undefined;
  /** When the timer fires at the latest; Infinity when there is none. */
  #firesAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes the sleeper in that millisecond, once. */
  set(millisecond: number, sleeper: Sleeper): void {
    const others = this.#sleepers.get(millisecond);
    if (others !== undefined) {
      others.push(sleeper);
      return;
    }
    this.#sleepers.set(millisecond, [sleeper]);
    if (millisecond < this.#firesAt) this.#arm(millisecond);
  }

  /** Undoes `set`. */
  cancel(millisecond: number, sleeper: Sleeper): void {
    const others = this.#sleepers.get(millisecond);
    const at = others?.indexOf(sleeper) ?? -1;
    if (others === undefined || at < 0) return;
    others.splice(at, 1);
    if (others.length > 0) return;
    this.#sleepers.delete(millisecond);
    if (this.#sleepers.size === 0) this.#disarm();
  }

  #arm(millisecond: number): void {
    this.#disarm();
    this.#firesAt = millisecond;
    const wait = Math.max(1, Math.ceil(millisecond - this.#clock.monotonic()));
    this.#timer = this.#clock.timer(Math.min(longestTimer, wait), this.#fire);
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    // `set` must not arm the timer meanwhile; that is done at the end.
    this.#firesAt = -Infinity;
    const now = this.#clock.monotonic();
    let next = Infinity;
    this.#sleepers.forEach((sleepers, millisecond) => {
      // Timers count whole milliseconds and may fire a fraction early.
      if (millisecond <= now + 0.5) {
        this.#sleepers.delete(millisecond);
        for (const sleeper of sleepers) sleeper.wake(now);
      } else next = Math.min(next, millisecond);
    });
    this.#firesAt = Infinity;
    if (next < Infinity) this.#arm(next);
  };
}

/**
 * Ticks at `t0 + k · interval` by the monotonic clock, so that delays do not add up and a step of the wall clock changes
 * nothing. Ticks whose time has passed are skipped.
 */
export class Schedule implements Disposable {
  readonly #alarms: Alarms;
  readonly #interval: number;
  readonly #tick: (skipped: number) => void;
  #due: number;

  /**
   * The first tick comes at `first`, in the time of the clock's `monotonic`. `tick` gets the number of ticks that were skipped before it
   * because the process was blocked for longer than an interval.
   */
  constructor(alarms: Alarms, interval: number, first: number, tick: (skipped: number) => void) {
    this.#alarms = alarms;
    this.#interval = interval;
    this.#tick = tick;
    this.#due = first;
    alarms.set(Math.ceil(first), this);
  }

  wake(now: number): void {
    const late = Math.max(0, Math.floor((now - this.#due) / this.#interval));
    this.#due += (late + 1) * this.#interval;
    this.#alarms.set(Math.ceil(this.#due), this);
    this.#tick(late);
  }

  [Symbol.dispose](): void {
    this.#alarms.cancel(Math.ceil(this.#due), this);
  }
}

/** Groups of up to this many points are small: waking up for one costs more than reading it. */
export const mostSmall = 250;

/** Number of nodes whose small groups tick together. */
const nodesTogether = 16;

/** First ticks lie on a grid of this many milliseconds, so that they can fall together. */
const grid = 10;

/** Decides when a group ticks among the others. */
export interface GroupPosition {
  /** Number of the group. */
  readonly group: number;
  /** Of the node among those of its runner. */
  readonly seat: number;
  /** How many groups the node had before this one. */
  readonly before: number;
  readonly points: number;
}

/**
 * When a group ticks first, at most a second from `now`. Groups are spread over their interval, so that they do not all poll at the same
 * moment. Small groups of a few nodes tick together all the same, because waking up for each would cost more than reading it;
 * those of one node never do.
 */
export function firstTick(
  { group, seat, before, points }: GroupPosition,
  interval: number,
  now: number,
): number {
  const period = Math.min(interval, 1000);
  const place = points <= mostSmall ? 1 + Math.floor(seat / nodesTogether) + before : group;
  const goldenRatio = 0.618_033_988_75;
  const phase = Math.floor((((place * goldenRatio) % 1) * period) / grid) * grid;
  return phase + Math.ceil((now - phase) / period) * period;
}
