import type { Fault } from '../../fault.ts';
import { byPlace, packRanges, splitPlace, type PackedRange, type PackOptions, type Range } from './range.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { soundItems } from './sound-items.ts';

/** Most additional requests of one pass, which search for refused items or try them again. */
const extraRequests = 32;

/** A range that the device refused, and that is read in two halves instead. */
interface Split<T> {
  /** The first item of the second half. */
  readonly boundary: T;
  /** Halves that the device has read. */
  good: number;
}

/** Neighbouring items that one request reads. Drivers extend it with what they compile of them, such as a frame. */
export class ReadRange<T extends Range> implements PackedRange<T> {
  readonly area: number;
  readonly start: number;
  readonly end: number;
  readonly items: readonly T[];
  /** Used by the plan: the split that made this range. */
  split: Split<T> | undefined;

  /** The items are of one area and sorted by place. */
  constructor(items: readonly T[]) {
    const first = items[0] as T;
    this.area = first.area;
    this.start = first.start;
    this.end = items.reduce((most, item) => Math.max(most, item.end), 0);
    this.items = items;
  }
}

export interface RangePlanOptions<T extends Range, R> extends PackOptions<T> {
  /** Makes a range of items; default `ReadRange`. */
  readonly make?: (items: readonly T[]) => R;
}

/** Implemented by the driver for `readAll`. */
export interface RangeReader<T extends Range, R = PackedRange<T>> {
  /**
   * Sends one read request and takes its values over. Resolves with undefined when that is done, or with the fault by which the
   * device refused it as a whole, so that one item of it may be the cause. Rejects when the link is gone or the call aborts.
   */
  read(range: R): Promise<Fault | undefined>;
  /** The item has no value, and this is why. */
  refused(item: T, fault: Fault): void;
}

/**
 * The requests that read the items of one group from one device, compiled once. A refused request is split until the refused items are
 * isolated; they are remembered, left out of other requests and tried again after a pause. `readAll` does all of it, one request
 * a range; a driver whose requests take several ranges uses `begin`, `retry`, `accept` and `refuse`. Times are of any one clock.
 * @experimental May change until more drivers have used it.
 */
export class RangePlan<T extends Range, R extends ReadRange<T> = ReadRange<T>> {
  readonly #items: readonly T[];
  readonly #options: RangePlanOptions<T, R>;
  readonly #memory: RefusalMemory<Fault>;
  readonly #make: (items: readonly T[]) => R;
  #version = 0;
  #generation = 0;
  #ranges: readonly R[] = [];
  #refused: readonly T[] = [];

  constructor(items: readonly T[], options: RangePlanOptions<T, R>, memory: RefusalMemory<Fault>) {
    this.#items = items.toSorted(byPlace);
    this.#options = options;
    this.#memory = memory;
    this.#make = options.make ?? ((members) => new ReadRange(members) as R);
  }

  /** The ranges of a pass, without what the device refuses. */
  get ranges(): readonly R[] {
    return this.#ranges;
  }

  /** A pass begins, over connection number `generation`. Returns whether the ranges are others than before. */
  begin(now: number, generation: number): boolean {
    this.#memory.begin(now, generation);
    // The limits of a new connection may be others.
    if (this.#version === this.#memory.version && generation === this.#generation) return false;
    this.#version = this.#memory.version;
    this.#generation = generation;
    this.#pack();
    return true;
  }

  /** Packs items, sorted by place, as the plan does. */
  pack(items: readonly T[]): R[] {
    return packRanges(items, this.#options).map((range) => this.#make(range.items));
  }

  /** Refused items that are to be tried again now, `most` at most, as ranges of their own; the others are given to `refused`. */
  retry(now: number, most: number, refused: RangeReader<T>['refused']): R[] {
    const retried: R[] = [];
    for (const item of this.#refused) {
      const reason = this.#memory.reasonOf(item);
      if (retried.length < most && this.#memory.tries(item, now)) retried.push(this.#make([item]));
      else if (reason !== undefined) refused(item, reason);
    }
    return retried;
  }

  /** The device has read a range. */
  accept(range: R, now: number): void {
    this.#memory.accept(range.items[0] ?? range);
    const { split } = range;
    range.split = undefined;
    if (split !== undefined && ++split.good === 2) this.#memory.cut(split.boundary, now);
  }

  /** The device has refused a range: its halves, to be read instead. Undefined when all items have one place: that is remembered. */
  refuse(range: R, fault: Fault, now: number): readonly [R, R] | undefined {
    const { items } = range;
    const place = splitPlace(items);
    if (place === undefined) {
      this.#memory.refuse(range, fault, now);
      return undefined;
    }
    const halves = [this.#make(items.slice(0, place)), this.#make(items.slice(place))] as const;
    const split = { boundary: items[place] as T, good: 0 };
    for (const half of halves) half.split = split;
    return halves;
  }

  /** The device refuses every item of a range for one reason: remembers all of them without a search. */
  refuseAll({ items }: R, fault: Fault, now: number): void {
    for (const [at, item] of items.entries()) {
      const before = items[at - 1];
      if (before === undefined || byPlace(before, item) !== 0) this.#memory.refuse(item, fault, now);
    }
  }

  /** Reads everything once. All requests are queued at the same time; the queue decides how many are in flight. */
  async readAll(reader: RangeReader<T, R>, now: number, generation: number): Promise<void> {
    this.begin(now, generation);
    const refused = (item: T, fault: Fault): void => reader.refused(item, fault);
    const retried = this.retry(now, extraRequests, refused);
    const left = { extra: extraRequests - retried.length };
    const suspects: { range: R; fault: Fault }[] = [];
    await Promise.all(
      [...this.#ranges, ...retried].map(async (range) => {
        const fault = await this.#read(range, reader, now);
        if (fault !== undefined) suspects.push({ range, fault });
      }),
    );
    // One after the other and each to its end, so that every pass isolates at least one refused item.
    for (const { range, fault } of suspects) await this.#isolate(range, fault, reader, now, left);
  }

  async #read(range: R, reader: RangeReader<T, R>, now: number): Promise<Fault | undefined> {
    const fault = await reader.read(range);
    if (fault === undefined) this.accept(range, now);
    return fault;
  }

  /** The range was refused: reads its halves, and halves of those, until the refused items are isolated. */
  async #isolate(
    range: R,
    fault: Fault,
    reader: RangeReader<T, R>,
    now: number,
    left: { extra: number },
  ): Promise<void> {
    const isTooMuch = left.extra < 2 && splitPlace(range.items) !== undefined;
    const halves = isTooMuch ? undefined : this.refuse(range, fault, now);
    if (halves === undefined) {
      for (const item of range.items) reader.refused(item, fault);
      return;
    }
    left.extra -= 2;
    for (const half of halves) {
      const halfFault = await this.#read(half, reader, now);
      if (halfFault !== undefined) await this.#isolate(half, halfFault, reader, now, left);
    }
  }

  #pack(): void {
    const { sound, refused, cut: isCut } = soundItems(this.#items, this.#memory);
    const { cut } = this.#options;
    const ranges = packRanges(sound, {
      ...this.#options,
      cut: (item) => isCut(item) || cut?.(item) === true,
    });
    this.#ranges = ranges.map((range) => this.#make(range.items));
    this.#refused = refused;
  }
}
