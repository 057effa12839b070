import type { Fault, Outcome } from '@tagway/sdk';
import { Exception, noResponse, readRefused } from '../faults.ts';
import { Block } from './block.ts';
import { placeOf, type Lessons } from './lessons.ts';
import { Patience } from './patience.ts';
import { packBlocks, type Item, type PlanSettings } from './plan.ts';
import { splitPlace } from './split.ts';

/** A refused block that is read again in two halves. */
export interface Split {
  /** First item of the second half. */
  readonly boundary: Item;
  /** Halves that were read well as they are. */
  good: number;
}

/**
 * What to read of one unit. A refused block is split until the addresses that the device refuses stand alone; the rest is packed into
 * blocks anew.
 */
export class Lane {
  readonly unit: number;
  readonly #items: readonly Item[];
  readonly #outcomes: Outcome[];
  readonly #settings: PlanSettings;
  readonly #lessons: Lessons;
  /** The lessons' version for which the blocks were packed. */
  #version = 0;
  /** Blocks of every cycle; those before `#next` were given out in this one. */
  #blocks: Block[] = [];
  #next = 0;
  /** Pieces of refused blocks that are still to be tried; the next one last. */
  readonly #suspects: Block[] = [];
  /** Items that the device refuses, each place as a block of its own. */
  #refused: Block[] = [];
  /** Blocks that got no answer in a cycle in which the unit answered others. */
  readonly #ignored = new Map<Block, Patience>();

  /** `items` are sorted by area, start and end. */
  constructor(
    unit: number,
    items: readonly Item[],
    outcomes: Outcome[],
    settings: PlanSettings,
    lessons: Lessons,
  ) {
    this.unit = unit;
    this.#items = items;
    this.#outcomes = outcomes;
    this.#settings = settings;
    this.#lessons = lessons;
  }

  /** Begins a cycle at `now` (milliseconds since the epoch) on the link's connection number `generation`. */
  begin(now: number, generation: number): void {
    this.#lessons.begin(now, generation);
    if (this.#version !== this.#lessons.version) this.#pack();
    this.#next = 0;
  }

  /** The next block of this cycle, or undefined when all have been given out. */
  take(now: number): Block | undefined {
    while (this.#next < this.#blocks.length) {
      const block = this.#blocks[this.#next++]!;
      if (this.#lessons.isAreaRefused(block.first, now)) block.fill(readRefused(Exception.ILLEGAL_FUNCTION));
      else if (this.#ignored.get(block)?.due(now) === false) block.fill(noResponse);
      else return block;
    }
    return undefined;
  }

  /** A block beyond those of every cycle: a piece of a refused one, or a refused address that is to be tried again. */
  takeExtra(now: number): Block | undefined {
    const suspect = this.#suspects.pop();
    // However its reading ends, the items of a suspect find their place when blocks are packed next.
    if (suspect !== undefined) this.#version = 0;
    return suspect ?? this.#refused.find((block) => this.#lessons.tries(block.first, now));
  }

  /** Gives up the rest of the cycle: all blocks not given out get the fault. */
  skip(fault: Fault): void {
    for (const block of this.#blocks.slice(this.#next)) block.fill(fault);
    this.#next = this.#blocks.length;
  }

  /** The block was read well. */
  accept(block: Block, now: number): void {
    this.#lessons.accept(block.first);
    if (this.#ignored.size > 0) this.#ignored.delete(block);
    const { split } = block;
    if (split === undefined) return;
    block.split = undefined;
    split.good++;
    if (split.good === 2) this.#lessons.cut(split.boundary, now);
  }

  /** The device refused the block with an exception of its own making. */
  refuse(block: Block, exception: number, now: number): void {
    block.fill(readRefused(exception));
    block.split = undefined;
    if (exception === Exception.ILLEGAL_FUNCTION) this.#lessons.refuseArea(block.first, now);
    if (!localised.has(exception)) return;
    const place = splitPlace(block.items);
    if (place === undefined) return this.#lessons.refuse(block.first, exception, now);
    this.#version = 0;
    const split: Split = { boundary: block.items[place]!, good: 0 };
    for (const half of [block.items.slice(place), block.items.slice(0, place)]) {
      const piece = new Block(half, this.#outcomes, this.#settings);
      piece.split = split;
      this.#suspects.push(piece);
    }
  }

  /**
   * The block got no answer. It goes last from now on, so that it does not always cost the same others their turn. When that
   * happens again although the unit answers others (`heard`), it is only asked for now and then.
   */
  postpone(block: Block, heard: boolean, now: number): void {
    const at = this.#blocks.indexOf(block);
    if (at < 0) return;
    this.#blocks.splice(at, 1);
    this.#blocks.push(block);
    if (!heard) return;
    const patience = this.#ignored.get(block);
    if (patience === undefined) this.#ignored.set(block, new Patience());
    else patience.refused(now);
  }

  #pack(): void {
    const tried = new Set(this.#suspects.flatMap((block) => block.items));
    const sound: Item[] = [];
    const refused = new Map<number, Item[]>();
    /** Items right behind refused ones, which no gap may bridge. */
    const barriers = new Set<Item>();
    let behindRefused = false;
    for (const item of this.#items) {
      if (tried.has(item)) continue;
      const exception = this.#lessons.exceptionOf(item);
      if (exception === undefined) {
        if (behindRefused) barriers.add(item);
        behindRefused = false;
        sound.push(item);
        continue;
      }
      behindRefused = true;
      this.#outcomes[item.index] = readRefused(exception);
      const members = refused.get(placeOf(item));
      if (members === undefined) refused.set(placeOf(item), [item]);
      else members.push(item);
    }
    const cut = (item: Item): boolean => barriers.has(item) || this.#lessons.isCut(item);
    this.#blocks = packBlocks(sound, this.#outcomes, this.#settings, cut);
    this.#refused = Array.from(refused.values(), (items) => new Block(items, this.#outcomes, this.#settings));
    this.#ignored.clear();
    this.#version = this.#lessons.version;
  }
}

/** Exceptions that may be about one address of many: illegal address, illegal value (too many, for some devices), failure. */
const localised = new Set<number>([
  Exception.ILLEGAL_DATA_ADDRESS,
  Exception.ILLEGAL_DATA_VALUE,
  Exception.SERVER_DEVICE_FAILURE,
]);
