/**
 * The time in which the delays of one alarm run: that of its samples. Between two samples, and where their time stands still because a device
 * names the moment of the last change, it goes on with the clock of the gateway, however wrong the clock of the device is.
 */
export class SampleClock {
  /** Milliseconds since the epoch, NaN before the first observation. */
  time = NaN;
  /** When the newest sample arose. */
  #source = NaN;
  /** When the time was set, by the clock of the gateway. */
  #setAt = NaN;

  /** Moves on, for a sample that arose at `source`, or at a tick: then `source` is as it was. `now`: the clock of the gateway. */
  move(source: number, now: number): void {
    if (!Number.isNaN(source) && source !== this.#source) {
      this.#source = source;
      this.time = source;
    } else if (Number.isNaN(this.time)) {
      this.time = now;
    } else {
      // A clock that is set back lets no time pass.
      this.time += Math.max(0, now - this.#setAt);
    }
    this.#setAt = now;
  }

  /** Goes on where another one is. */
  adopt(other: SampleClock): void {
    this.time = other.time;
    this.#source = other.#source;
    this.#setAt = other.#setAt;
  }
}
