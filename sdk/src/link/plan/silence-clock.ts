interface Silence {
  rounds: number;
  until: number;
  pause: number;
}

export interface SilenceOptions {
  /** Pause after the first silent round, in milliseconds; it doubles with each further one. */
  readonly first: number;
  /** The longest pause, in milliseconds. */
  readonly most: number;
  /** Silent rounds that have no consequences. Default 0. */
  readonly forgiven?: number;
}

/**
 * Which units, stations or meters of a link stay silent, so that a dead one does not take the time of the others. A silent one is asked
 * again on its own clock, by whichever group comes first when it is due; all groups of a driver share one silence clock.
 * Times are milliseconds of any one clock.
 * @experimental May change until more drivers have used it.
 */
export class SilenceClock<Key> {
  readonly #options: SilenceOptions;
  readonly #silent = new Map<Key, Silence>();

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** Whether it is in a pause at `now`. After the clock was set back the end may lie further away than the pause is long: that counts as due. */
  paused(key: Key, now: number): boolean {
    const silence = this.#silent.get(key);
    return silence !== undefined && now < silence.until && silence.until - now <= silence.pause;
  }

  /** Whether to ask it now. When it answers true for a silent one, it answers false to others until the same pause has passed again. */
  tries(key: Key, now: number): boolean {
    if (this.paused(key, now)) return false;
    const silence = this.#silent.get(key);
    if (silence !== undefined) silence.until = now + silence.pause;
    return true;
  }

  /** It answered, be it with an error. Returns whether it was silent before. */
  answered(key: Key): boolean {
    return this.#silent.delete(key);
  }

  /** It was asked and did not answer. Returns the milliseconds of its pause. */
  stayedSilent(key: Key, now: number): number {
    const { first, forgiven = 0, most } = this.#options;
    const silence = this.#silent.get(key) ?? { rounds: 0, until: 0, pause: 0 };
    this.#silent.set(key, silence);
    silence.rounds++;
    const counted = silence.rounds - forgiven;
    silence.pause = counted > 0 ? Math.min(first * 2 ** Math.min(counted - 1, 20), most) : 0;
    silence.until = now + silence.pause;
    return silence.pause;
  }

  /** All may be asked again at once, for example on a new connection; the lengths of their pauses stay. */
  expire(): void {
    for (const silence of this.#silent.values()) silence.until = 0;
  }
}
