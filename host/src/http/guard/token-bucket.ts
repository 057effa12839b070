/** What refills a bucket, and how much it holds. */
export interface BucketSize {
  /** The share of one core that may be taken, in milliseconds each millisecond. */
  readonly share: number;
  /** How much of it may be saved up, in milliseconds. */
  readonly burst: number;
}

/** A token bucket of milliseconds of work. Its level falls below 0 when more is taken than it holds. */
export class TokenBucket {
  readonly #size: BucketSize;
  readonly #now: () => number;
  #level: number;
  #filledAt: number;

  constructor(size: BucketSize, now: () => number) {
    this.#size = size;
    this.#now = now;
    this.#level = size.burst;
    this.#filledAt = now();
  }

  /** Milliseconds that may be taken at this moment; below 0 is a debt. */
  get level(): number {
    const now = this.#now();
    this.#level = Math.min(this.#size.burst, this.#level + (now - this.#filledAt) * this.#size.share);
    this.#filledAt = now;
    return this.#level;
  }

  get isFull(): boolean {
    return this.level >= this.#size.burst;
  }

  /** Takes milliseconds, also more than there are. The debt is at most `owedMost`. */
  take(milliseconds: number, owedMost = Infinity): void {
    this.#level = Math.max(-owedMost, this.level - milliseconds);
  }
}
