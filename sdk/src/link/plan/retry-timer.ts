const firstPause = 10_000;
const longestPause = 300_000;

/** When a refused item is tried again: after 10 s, then after twice as long each time, up to 5 min. It has no clock of its own. */
export class RetryTimer {
  #pause = 0;
  #until = 0;

  /** The device refused, for the first time or again. */
  refused(now: number): void {
    this.#pause = this.#pause === 0 ? firstPause : Math.min(this.#pause * 2, longestPause);
    this.#until = now + this.#pause;
  }

  /** It is being tried. The same pause begins again, so that no other group tries it meanwhile. */
  tried(now: number): void {
    this.#until = now + this.#pause;
  }

  /** Makes it due now; the length of the next pause stays. */
  expire(): void {
    this.#until = 0;
  }

  /** Whether to try now. After the clock was set back the end may lie further away than the pause is long: that counts as due. */
  due(now: number): boolean {
    return now >= this.#until || this.#until - now > this.#pause;
  }
}
