import type { Item } from './item.ts';
import { RetryTimer } from './retry-timer.ts';

interface Refusal {
  readonly timer: RetryTimer;
  exception: number;
}

/**
 * What one unit has refused to read: single addresses, requests across a boundary, whole areas. The driver keeps one per
 * unit for its whole run, and all groups that read the unit share it, so it survives changes of the groups. Every refusal
 * is tried again after growing pauses; refused addresses and areas also on a new connection.
 */
export class RefusalMemory {
  /** Grows whenever the requests of this unit have to be packed anew. */
  version = 1;
  /** Addresses that the device refuses, by `placeOf`. */
  readonly #refused = new Map<number, Refusal>();
  /** Boundaries that the device would not read across, by `boundaryOf`. */
  readonly #cuts = new Map<number, RetryTimer>();
  /** The cuts that requests respect now. A cut that is missing here is due, and requests reach across it to try it again. */
  readonly #activeCuts = new Set<number>();
  /** Areas whose function the device does not know. */
  readonly #areas = new Map<number, RetryTimer>();
  #generation = 0;

  /** A cycle begins, on the link's connection number `generation`. */
  begin(now: number, generation: number): void {
    if (generation !== this.#generation) {
      for (const { timer } of this.#refused.values()) timer.expire();
      for (const timer of this.#areas.values()) timer.expire();
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

  /** Whether to try a refused address now. When it answers true, it answers false to others until the pause has passed again. */
  tries(item: Item, now: number): boolean {
    const refusal = this.#refused.get(placeOf(item));
    if (refusal?.timer.due(now) !== true) return false;
    refusal.timer.tried(now);
    return true;
  }

  /** The device refused this address, for the first time or again. */
  refuse(item: Item, exception: number, now: number): void {
    let refusal = this.#refused.get(placeOf(item));
    if (refusal === undefined) {
      refusal = { timer: new RetryTimer(), exception };
      this.#refused.set(placeOf(item), refusal);
      this.version++;
    }
    refusal.timer.refused(now);
    refusal.exception = exception;
  }

  /** The device could read this item: neither its address nor its area counts as refused any more. */
  accept(item: Item): void {
    if (this.#areas.size > 0) this.#areas.delete(item.address.area);
    if (this.#refused.size > 0 && this.#refused.delete(placeOf(item))) this.version++;
  }

  /** Whether no request may reach across the start of this item. */
  isCut(item: Item): boolean {
    return this.#activeCuts.has(boundaryOf(item));
  }

  /** The device read both sides of this item's start, but refused them in one request. */
  cut(item: Item, now: number): void {
    refuse(this.#cuts, boundaryOf(item), now);
    this.#activeCuts.add(boundaryOf(item));
    this.version++;
  }

  /** The device does not know the function that reads this item's area. */
  refuseArea(item: Item, now: number): void {
    refuse(this.#areas, item.address.area, now);
  }

  /** Whether the area of this item is refused, and not yet due to be tried again. */
  isAreaRefused(item: Item, now: number): boolean {
    return this.#areas.get(item.address.area)?.due(now) === false;
  }
}

function refuse(timers: Map<number, RetryTimer>, key: number, now: number): void {
  const timer = timers.get(key) ?? new RetryTimer();
  timer.refused(now);
  timers.set(key, timer);
}

/** Area and start of an item as one number. */
function boundaryOf(item: Item): number {
  return item.address.area * 0x1_0000 + item.start;
}

/** Area, start and length of an item as one number: a long value may be refused where a short one is not. */
export function placeOf(item: Item): number {
  return boundaryOf(item) * 0x100 + item.address.count;
}
