import type { ModbusSettings } from '../settings.ts';

type DegradeSettings = Pick<ModbusSettings, 'timeout' | 'device_degrade' | 'degrade_cycle' | 'degrade_time'>;

interface Silence {
  cycles: number;
  until: number;
  pause: number;
}

/** Longest pause of a silent unit when degrading is off, in milliseconds. */
const longestPause = 30_000;

/**
 * Which units of a node stay silent, so that one dead unit does not take the others' time. The driver owns it for its whole
 * run. With `device_degrade` a unit is left alone for `degrade_time` after `degrade_cycle` silent cycles. Without it, and
 * only while other units answer, it is left alone for a timeout, and twice as long after each further silent cycle, up to
 * 30 s.
 */
export class SilentUnits {
  readonly #settings: DegradeSettings;
  readonly #silent = new Map<number, Silence>();

  constructor(settings: DegradeSettings) {
    this.#settings = settings;
  }

  /** Whether to leave the unit alone at `now`, in milliseconds since the epoch. */
  paused(unit: number, now: number): boolean {
    const silence = this.#silent.get(unit);
    return silence !== undefined && now < silence.until && silence.until - now <= silence.pause;
  }

  answered(unit: number): void {
    this.#silent.delete(unit);
  }

  /** The unit did not answer at all in a cycle; `others` says whether another unit did. Returns for how many milliseconds it is now left alone. */
  stayedSilent(unit: number, now: number, others: boolean): number {
    const silence = this.#silent.get(unit) ?? { cycles: 0, until: 0, pause: 0 };
    this.#silent.set(unit, silence);
    silence.cycles++;
    silence.pause = this.#pause(silence.cycles, others);
    silence.until = now + silence.pause;
    return silence.pause;
  }

  #pause(cycles: number, others: boolean): number {
    const { device_degrade, degrade_cycle = 2, degrade_time = 600, timeout } = this.#settings;
    if (device_degrade === 1) return cycles >= degrade_cycle ? degrade_time * 1000 : 0;
    return others ? Math.min(timeout * 2 ** Math.min(cycles - 1, 10), longestPause) : 0;
  }
}
