import type { Item } from './plan.ts';
import { Patience } from './patience.ts';

interface Refusal {
  readonly patience: Patience;
  exception: number;
}

/**
 * What the refusals of one unit have taught, for all groups that read it and through all changes of theirs. Nothing holds for
 * ever: it is tried again after growing pauses, and at once on a new connection.
 */
export class Lessons {
  /** Grows when blocks must be packed anew. */
  version = 1;
  /** Addresses that the device refuses, by their place. */
  readonly #refused = new Map<number, Refusal>();
  /** Boundaries that the device would not read across, by area and start. */
  readonly #cuts = new Map<number, Patience>();
  /** Those that are respected now; the others are on trial. */
  readonly #activeCuts = new Set<number>();
  /** Areas whose function the device does not know. */
  readonly #areas = new Map<number, Patience>();
  #generation = 0;

  /** A cycle begins, on the link's connection number `generation`. */
  begin(now: number, generation: number): void {
    if (generation !== this.#generation) {
      for (const { patience } of this.#refused.values()) patience.expire();
      for (const patience of this.#areas.values()) patience.expire();
      this.#generation = generation;
    }
    for (const cut of this.#activeCuts) {
      if (this.#cuts.get(cut)?.due(now) !== true) continue;
      this.#activeCuts.delete(cut);
      this.version++;
    }
  }

  /** The exception with which the device refuses this address, or undefined when it does not. */
  exceptionOf(item: Item): number | undefined {
    return this.#refused.size > 0 ? this.#refused.get(placeOf(item))?.exception : undefined;
  }

  /** Whether to try a refused address now; if so, others need not try it as well. */
  tries(item: Item, now: number): boolean {
    const refusal = this.#refused.get(placeOf(item));
    if (refusal?.patience.due(now) !== true) return false;
    refusal.patience.tried(now);
    return true;
  }

  /** The device refuses this address, perhaps once more. */
  refuse(item: Item, exception: number, now: number): void {
    let refusal = this.#refused.get(placeOf(item));
    if (refusal === undefined) {
      refusal = { patience: new Patience(), exception };
      this.#refused.set(placeOf(item), refusal);
      this.version++;
    }
    refusal.patience.refused(now);
    refusal.exception = exception;
  }

  /** The device could read this item. */
  accept(item: Item): void {
    if (this.#areas.size > 0) this.#areas.delete(item.address.area);
    if (this.#refused.size > 0 && this.#refused.delete(placeOf(item))) this.version++;
  }

  /** Whether no block may reach across the start of this item. */
  isCut(item: Item): boolean {
    return this.#activeCuts.has(boundaryOf(item));
  }

  cut(item: Item, now: number): void {
    learn(this.#cuts, boundaryOf(item), now);
    this.#activeCuts.add(boundaryOf(item));
    this.version++;
  }

  /** The device does not know the function that reads this item's area. */
  refuseArea(item: Item, now: number): void {
    learn(this.#areas, item.address.area, now);
  }

  isAreaRefused(item: Item, now: number): boolean {
    return this.#areas.get(item.address.area)?.due(now) === false;
  }
}

function learn(known: Map<number, Patience>, key: number, now: number): void {
  const patience = known.get(key) ?? new Patience();
  patience.refused(now);
  known.set(key, patience);
}

function boundaryOf(item: Item): number {
  return item.address.area * 0x1_0000 + item.start;
}

/** Area, start and length of an item as one number: a long value may be refused where a short one is not. */
export function placeOf(item: Item): number {
  return boundaryOf(item) * 0x100 + item.address.count;
}
