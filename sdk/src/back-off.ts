/** Pauses between attempts that fail: each of a list, in milliseconds, then its last one again and again. */
export interface BackOffOptions {
  readonly pauses: readonly number[];
  /** The least and the largest part of a pause; chance decides between them, so that a fleet does not move in step. */
  readonly spread: readonly [least: number, most: number];
}

/** Between starts of a node or of a process: 1 s to 60 s. */
export const startPauses: BackOffOptions = {
  pauses: [1000, 2000, 5000, 10_000, 30_000, 60_000],
  spread: [0.9, 1.1],
};

/** Between attempts to connect: 100 ms, doubling to 10 s. */
export const dialPauses: BackOffOptions = {
  pauses: [100, 200, 400, 800, 1600, 3200, 6400, 10_000],
  spread: [0.75, 1],
};

export class BackOff {
  readonly #options: BackOffOptions;
  #step = 0;

  constructor(options: BackOffOptions = startPauses) {
    this.#options = options;
  }

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const { pauses, spread } = this.#options;
    const [least, most] = spread;
    const pause = pauses[Math.min(this.#step, pauses.length - 1)] ?? 0;
    this.#step++;
    return Math.round(pause * (least + Math.random() * (most - least)));
  }

  reset(): void {
    this.#step = 0;
  }
}
