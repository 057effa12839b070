const first = 10_000;
const most = 300_000;

/** When to try again what a device refused: after 10 s, then twice as long each time, up to 5 min. */
export class Patience {
  #delay = 0;
  #until = 0;

  /** It was refused, perhaps once more. */
  refused(now: number): void {
    this.#delay = this.#delay === 0 ? first : Math.min(this.#delay * 2, most);
    this.#until = now + this.#delay;
  }

  /** It is being tried: not again before the same pause has passed, unless it is refused meanwhile. */
  tried(now: number): void {
    this.#until = now + this.#delay;
  }

  /** Try at the next opportunity. */
  expire(): void {
    this.#until = 0;
  }

  /** Whether to try now; a clock that was set back does not prolong the pause. */
  due(now: number): boolean {
    return now >= this.#until || this.#until - now > this.#delay;
  }
}
