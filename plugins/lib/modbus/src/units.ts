import { SilenceClock } from '@tagway/sdk/link';
import type { ModbusSettings } from './settings.ts';

type UnitSettings = Pick<ModbusSettings, 'timeout' | 'device_degrade' | 'degrade_cycle' | 'degrade_time'>;

/** What is known of a unit. */
export interface Unit {
  /** It answered when it was last asked. */
  alive: boolean;
  /** It is left alone, but for a probe now and then. */
  silent: boolean;
  /** A connection was closed while it was asked. */
  suspected: boolean;
  /** A read that it has answered. */
  good: Buffer | undefined;
}

/** A read that a living unit has answered before. */
export interface GoodRead {
  readonly unit: number;
  readonly pdu: Buffer;
}

const unknown: Readonly<Unit> = { alive: false, silent: false, suspected: false, good: undefined };

/** Longest pause of a silent unit when degrading is off, in milliseconds. */
const longestPause = 30_000;

/**
 * What is known of the units of a node, for its whole run and for all groups. A unit that stays silent is left alone, so that it does
 * not take the time of the others, and is asked on its own clock: with `device_degrade` every `degrade_time` after
 * `degrade_cycle` silent read passes; without it, and only while other units answer, after a timeout, and after twice as long
 * each further time, up to 30 s. Times are milliseconds since the epoch.
 */
export class Units {
  readonly #degrades: boolean;
  readonly #clock: SilenceClock<number>;
  readonly #units = new Map<number, Unit>();

  constructor({ device_degrade, degrade_cycle = 2, degrade_time = 600, timeout }: UnitSettings) {
    this.#degrades = device_degrade === 1;
    const pause = degrade_time * 1000;
    this.#clock = this.#degrades
      ? new SilenceClock({ first: pause, most: pause, forgiven: degrade_cycle - 1 })
      : new SilenceClock({ first: timeout, most: longestPause });
  }

  get(unit: number): Readonly<Unit> {
    return this.#units.get(unit) ?? unknown;
  }

  /** A group reads this unit. */
  add(unit: number): Unit {
    const known = this.#units.get(unit) ?? { ...unknown };
    this.#units.set(unit, known);
    return known;
  }

  /** Whether there is another unit that is neither silent nor suspected. */
  hasOthers(than: number): boolean {
    for (const [unit, { silent, suspected }] of this.#units)
      if (unit !== than && !silent && !suspected) return true;
    return false;
  }

  /** A read that is likely to be answered, to find out whether any unit is there. */
  get goodRead(): GoodRead | undefined {
    let last: GoodRead | undefined;
    for (const [unit, { alive, good: pdu, suspected }] of this.#units) {
      if (!alive || pdu === undefined) continue;
      last = { unit, pdu };
      if (!suspected) return last;
    }
    return last;
  }

  /** The unit answered; `good` is a read that it has answered. Returns whether it had been left alone. */
  answered(unit: number, good?: Buffer): boolean {
    const known = this.add(unit);
    const wasSilent = known.silent;
    known.alive = true;
    known.silent = known.suspected = false;
    known.good = good ?? known.good;
    this.#clock.answered(unit);
    return wasSilent;
  }

  /** A connection was closed while the unit was asked, and it is not clear that this was why. */
  suspect(unit: number): void {
    this.add(unit).suspected = true;
  }

  /**
   * The unit was asked and did not answer; `isCause`: because the connection was closed for it. Returns for how many milliseconds it is now
   * left alone.
   */
  stayedSilent(unit: number, now: number, isCause: boolean): number {
    const known = this.add(unit);
    known.alive = false;
    known.suspected = isCause;
    if (!this.#degrades && ![...this.#units.values()].some(({ alive }) => alive)) return 0;
    const pause = this.#clock.stayedSilent(unit, now);
    known.silent = pause > 0;
    return pause;
  }

  /** Whether to ask a silent unit now. When it answers true, it answers false to others until the same pause has passed again. */
  isDue(unit: number, now: number): boolean {
    return this.#clock.tries(unit, now);
  }

  /** No unit answered at all, so it may be the connection: all units are asked again. */
  startAnew(): void {
    for (const [unit, known] of this.#units) {
      known.alive = false;
      if (this.#degrades) continue;
      known.silent = known.suspected = false;
      this.#clock.answered(unit);
    }
  }
}
