/** Virtual time: what is to happen, in its order. */
export class Clockwork {
  now = 0;
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  readonly #works: (() => void)[] = [];
  #order = 0;

  after(ms: number, work: () => void): void {
    let at = this.#works.length;
    const time = this.now + ms;
    const order = this.#order++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#times[above]! <= time) break;
      this.#move(above, at);
      at = above;
    }
    this.#put(at, time, order, work);
  }

  /** Has everything happen up to that time. */
  run(until: number): void {
    while (this.#works.length > 0 && this.#times[0]! < until) {
      this.now = this.#times[0]!;
      this.#pop()();
    }
    this.now = until;
  }

  #pop(): () => void {
    const work = this.#works[0]!;
    const time = this.#times.pop()!;
    const order = this.#orders.pop()!;
    const last = this.#works.pop()!;
    const { length } = this.#works;
    if (length === 0) return work;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= length) break;
      if (below + 1 < length && this.#isBefore(below + 1, this.#times[below]!, this.#orders[below]!)) below++;
      if (!this.#isBefore(below, time, order)) break;
      this.#move(below, at);
      at = below;
    }
    this.#put(at, time, order, last);
    return work;
  }

  #isBefore(at: number, time: number, order: number): boolean {
    return this.#times[at]! < time || (this.#times[at] === time && this.#orders[at]! < order);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from]!, this.#orders[from]!, this.#works[from]!);
  }

  #put(at: number, time: number, order: number, work: () => void): void {
    this.#times[at] = time;
    this.#orders[at] = order;
    this.#works[at] = work;
  }
}

/** Chance from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) | 0;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(things: readonly T[]): T {
    return things[this.below(things.length)]!;
  }
}
