const first = 100;
const most = 10_000;

/** Pauses between attempts to connect: 100 ms, doubling to 10 s, each shortened at random by up to a quarter so that a fleet does not move in step. */
export class BackOff {
  #next = first;

  /** Milliseconds to wait before the next attempt. */
  pause(): number {
    const pause = this.#next * (1 - Math.random() / 4);
    this.#next = Math.min(this.#next * 2, most);
    return pause;
  }

  reset(): void {
    this.#next = first;
  }
}
