const steps = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const;

/** Waiting times between attempts that fail: 1, 2, 5, 10, 30, 60 s, each a little longer or shorter by chance. */
export class BackOff {
  #step = 0;

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const base = steps[Math.min(this.#step, steps.length - 1)] ?? 60_000;
    this.#step++;
    return Math.round(base * (0.9 + Math.random() * 0.2));
  }

  reset(): void {
    this.#step = 0;
  }
}
