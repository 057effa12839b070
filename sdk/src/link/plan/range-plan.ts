import type { Fault } from '../../fault.ts';
import {
  byPlace,
  packRanges,
  rangeOf,
  splitPlace,
  type PackedRange,
  type PackOptions,
  type Range,
} from './range.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { soundItems } from './sound-items.ts';

/** Most requests of one reading that look for what the device refuses, or try it again. */
const extraRequests = 32;

/** What a plan asks of its driver. */
export interface RangeReader<T extends Range> {
  /**
   * Sends one read request and takes its values over. Resolves with undefined when that is done, or with the fault by which the
   * device refused it as a whole, so that one item of it may be the cause. Rejects when the link is gone or the call aborts.
   */
  read(range: PackedRange<T>): Promise<Fault | undefined>;
  /** The item has no value, and this is why. */
  refused(item: T, fault: Fault): void;
}

/**
 * The requests that read the items of one group from one device, compiled once. A refused request is split until what the device
 * refuses stands alone; that is remembered, left out of the others and tried again on its own clock.
 * @experimental May change until more drivers have used it.
 */
export class RangePlan<T extends Range> {
  readonly #items: readonly T[];
  readonly #options: PackOptions<T>;
  readonly #memory: RefusalMemory<Fault>;
  #version = 0;
  #generation = 0;
  #ranges: readonly PackedRange<T>[] = [];
  #refused: readonly T[] = [];

  constructor(items: readonly T[], options: PackOptions<T>, memory: RefusalMemory<Fault>) {
    this.#items = items.toSorted(byPlace);
    this.#options = options;
    this.#memory = memory;
  }

  /** The requests of the next reading, as they stand now. */
  get ranges(): readonly PackedRange<T>[] {
    if (this.#version !== this.#memory.version) this.#pack();
    return this.#ranges;
  }

  /** Reads everything once, with all requests asked for at the same time; how many are on the way is the queue's business. `now` is of any clock. */
  async readAll(reader: RangeReader<T>, now: number, generation: number): Promise<void> {
    const memory = this.#memory;
    memory.begin(now, generation);
    // The limits of a new connection may be others.
    if (generation !== this.#generation) this.#version = 0;
    this.#generation = generation;
    const { ranges } = this;
    const left = { extra: extraRequests };
    const retried: PackedRange<T>[] = [];
    for (const item of this.#refused) {
      if (left.extra > 0 && memory.tries(item, now)) {
        left.extra--;
        retried.push({ area: item.area, start: item.start, end: item.end, items: [item] });
      } else {
        const reason = memory.reasonOf(item);
        if (reason !== undefined) reader.refused(item, reason);
      }
    }
    const suspects: { range: PackedRange<T>; fault: Fault }[] = [];
    await Promise.all(
      [...ranges, ...retried].map(async (range) => {
        const fault = await this.#read(range, reader);
        if (fault !== undefined) suspects.push({ range, fault });
      }),
    );
    // One after the other and each to its end, so that every reading finds at least one culprit.
    for (const { range, fault } of suspects) await this.#isolate(range, fault, reader, now, left);
  }

  async #read(range: PackedRange<T>, reader: RangeReader<T>): Promise<Fault | undefined> {
    const fault = await reader.read(range);
    if (fault === undefined) this.#memory.accept(range.items[0] ?? range);
    return fault;
  }

  /** The range was refused: reads its halves, and theirs, until what is refused stands alone. */
  async #isolate(
    range: PackedRange<T>,
    fault: Fault,
    reader: RangeReader<T>,
    now: number,
    left: { extra: number },
  ): Promise<void> {
    const place = splitPlace(range.items);
    if (place === undefined) this.#memory.refuse(range, fault, now);
    if (place === undefined || left.extra < 2) {
      for (const item of range.items) reader.refused(item, fault);
      return;
    }
    left.extra -= 2;
    const [first, second] = [rangeOf(range.items.slice(0, place)), rangeOf(range.items.slice(place))];
    const firstFault = await this.#read(first, reader);
    if (firstFault !== undefined) await this.#isolate(first, firstFault, reader, now, left);
    const secondFault = await this.#read(second, reader);
    if (secondFault !== undefined) await this.#isolate(second, secondFault, reader, now, left);
    if (firstFault === undefined && secondFault === undefined)
      this.#memory.cut(second.items[0] ?? second, now);
  }

  #pack(): void {
    const { sound, refused, cut: isCut } = soundItems(this.#items, this.#memory);
    const { cut } = this.#options;
    this.#ranges = packRanges(sound, {
      ...this.#options,
      cut: (item) => isCut(item) || cut?.(item) === true,
    });
    this.#refused = refused;
    this.#version = this.#memory.version;
  }
}
