import type { Fault, Outcome } from '@tagway/sdk';
import { Block } from './block.ts';
import { Exception, readRefused } from '../faults.ts';
import { packBlocks, type Item, type PlanSettings } from './plan.ts';
import { Patience } from './patience.ts';
import { splitPlace } from './split.ts';

/** A refused block that is read again in two halves. */
export interface Split {
  /** First item of the second half. */
  readonly boundary: Item;
  /** Halves that were read well as they are. */
  good: number;
}

/**
 * What to read of one unit, and what its refusals taught. A refused block is split until the addresses that the device
 * refuses stand alone: those are quarantined, and the rest is packed into blocks anew. Nothing learnt holds for ever: it is
 * tried again after growing pauses, and at once on a new connection.
 */
export class Lane {
  readonly unit: number;
  readonly #items: readonly Item[];
  readonly #outcomes: Outcome[];
  readonly #settings: PlanSettings;
  /** Blocks of every cycle; those before `#next` were given out in this one. */
  #blocks: Block[] = [];
  #next = 0;
  /** Pieces of refused blocks that are still to be tried; the next one last. */
  readonly #suspects: Block[] = [];
  /** Single addresses that the device refuses. */
  readonly #quarantine = new Map<Block, Patience>();
  /** Boundaries that the device would not read across, by area and start. */
  readonly #cuts = new Map<number, Patience>();
  /** Those that are respected now; the others are on trial. */
  readonly #activeCuts = new Set<number>();
  /** Areas whose function the device does not know. */
  readonly #areas = new Map<number, Patience>();
  #outdated = true;
  #generation = 0;

  /** `items` are sorted by area and start. */
  constructor(unit: number, items: readonly Item[], outcomes: Outcome[], settings: PlanSettings) {
    this.unit = unit;
    this.#items = items;
    this.#outcomes = outcomes;
    this.#settings = settings;
  }

  /** Begins a cycle at `now` (milliseconds since the epoch) on the link's connection number `generation`. */
  begin(now: number, generation: number): void {
    if (generation !== this.#generation) {
      for (const patience of this.#quarantine.values()) patience.expire();
      for (const patience of this.#areas.values()) patience.expire();
      this.#generation = generation;
    }
    for (const cut of this.#activeCuts) {
      if (this.#cuts.get(cut)?.due(now) !== true) continue;
      this.#activeCuts.delete(cut);
      this.#outdated = true;
    }
    if (this.#outdated) this.#pack();
    this.#next = 0;
  }

  /** The next block of this cycle, or undefined when all have been given out. */
  take(now: number): Block | undefined {
    while (this.#next < this.#blocks.length) {
      const block = this.#blocks[this.#next++] as Block;
      const patience = this.#areas.get(block.area);
      if (patience === undefined || patience.due(now)) return block;
      block.fill(readRefused(Exception.ILLEGAL_FUNCTION));
    }
    return undefined;
  }

  /** A block beyond those of every cycle: a piece of a refused one, or an address whose quarantine is over. */
  takeExtra(now: number): Block | undefined {
    const suspect = this.#suspects.pop();
    if (suspect !== undefined) {
      // However its reading ends, its items find their place when the blocks are packed next.
      this.#outdated = true;
      return suspect;
    }
    for (const [block, patience] of this.#quarantine) {
      if (!patience.due(now)) continue;
      patience.tried(now);
      return block;
    }
    return undefined;
  }

  /** Gives up the rest of the cycle: all blocks not given out get the fault. */
  skip(fault: Fault): void {
    for (const block of this.#blocks.slice(this.#next)) block.fill(fault);
    this.#next = this.#blocks.length;
  }

  /** The block was read well. */
  accept(block: Block, now: number): void {
    if (this.#areas.size > 0) this.#areas.delete(block.area);
    if (this.#quarantine.size > 0 && this.#quarantine.delete(block)) this.#outdated = true;
    const { split } = block;
    if (split === undefined) return;
    block.split = undefined;
    split.good++;
    if (split.good === 2) {
      learn(this.#cuts, keyOf(split.boundary), now);
      this.#activeCuts.add(keyOf(split.boundary));
    }
  }

  /** The device refused the block with an exception of its own making. */
  refuse(block: Block, exception: number, now: number): void {
    block.fill(readRefused(exception));
    if (exception === Exception.ILLEGAL_FUNCTION) learn(this.#areas, block.area, now);
    block.split = undefined;
    if (!localised.has(exception)) return;
    const place = splitPlace(block.items);
    if (place === undefined) return this.#isolate(block, now);
    this.#outdated = true;
    const split: Split = { boundary: block.items[place] as Item, good: 0 };
    for (const half of [block.items.slice(place), block.items.slice(0, place)]) {
      const piece = new Block(half, this.#outcomes, this.#settings);
      piece.split = split;
      this.#suspects.push(piece);
    }
  }

  /** The block got no answer: it goes last from now on, so that it does not always cost the same others their turn. */
  postpone(block: Block): void {
    const at = this.#blocks.indexOf(block);
    if (at < 0) return;
    this.#blocks.splice(at, 1);
    this.#blocks.push(block);
  }

  #isolate(block: Block, now: number): void {
    if (!this.#quarantine.has(block)) this.#outdated = true;
    learn(this.#quarantine, block, now);
  }

  #pack(): void {
    const apart = new Set<Item>();
    for (const block of [...this.#quarantine.keys(), ...this.#suspects])
      for (const item of block.items) apart.add(item);
    const items = apart.size === 0 ? this.#items : this.#items.filter((item) => !apart.has(item));
    this.#blocks = packBlocks(items, this.#outcomes, this.#settings, (item) =>
      this.#activeCuts.has(keyOf(item)),
    );
    this.#outdated = false;
  }
}

/** Exceptions that may be about one address of many: illegal address, illegal value (too many, for some devices), failure. */
const localised = new Set<number>([
  Exception.ILLEGAL_DATA_ADDRESS,
  Exception.ILLEGAL_DATA_VALUE,
  Exception.SERVER_DEVICE_FAILURE,
]);

function learn<Key>(known: Map<Key, Patience>, key: Key, now: number): void {
  const patience = known.get(key) ?? new Patience();
  patience.refused(now);
  known.set(key, patience);
}

function keyOf(item: Item): number {
  return item.address.area * 0x1_0000 + item.start;
}
