import {
  ErrorCode,
  isFault,
  type Call,
  type Context,
  type Fault,
  type Point,
  type Values,
} from '@tagway/sdk';
import {
  disconnected,
  packRanges,
  RangePlan,
  RefusalMemory,
  type AskOptions,
  type Link,
  type PackedRange,
} from '@tagway/sdk/link';
import { compileRuns, type Item, type Run } from './decode.ts';
import type { Place } from './place.ts';

/** The memory of a PLC, as its protocol reads it. Areas are numbers of the protocol's choice. */
export interface WordMemory {
  /** Where a word has its high byte on the wire: 0 (big-endian) or 1. Longer numbers have their lowest word first. */
  readonly high: 0 | 1;
  parse(address: string, type: Point['type']): Place | Fault;
  isBits(area: number): boolean;
  /** Most places of an area in one request. */
  most(area: number): number;
  /** Reads so many places: two bytes for a word, one byte, 0 or 1, for a bit. Rejects with the fault of a refusal or of the link. */
  read(area: number, start: number, count: number, options: AskOptions): Promise<Buffer>;
  /** What a fault of `read` or `write` says: the request was too long, one place of it may be wrong, or (undefined) something else. */
  blames(fault: Fault): 'size' | 'place' | undefined;
}

interface Plan {
  readonly ranges: RangePlan<Item>;
  readonly invalid: readonly { readonly index: number; readonly fault: Fault }[];
}

/** Bytes that a request may read along to save a second one. */
const gap = 64;

/** Reads the points of groups in as few requests as the PLC allows. */
export class WordReader {
  readonly #context: Pick<Context, 'clock' | 'log'>;
  readonly #link: Pick<Link<unknown>, 'up' | 'generation'>;
  readonly #memory: WordMemory;
  readonly #refusals = new RefusalMemory<Fault>();
  readonly #plans = new WeakMap<readonly Point[], Plan>();
  readonly #runs = new WeakMap<PackedRange<Item>, readonly Run[]>();
  /** Most places that the PLC has not found too many, of words and of bits. */
  readonly #found = { words: Infinity, bits: Infinity };

  constructor(
    context: Pick<Context, 'clock' | 'log'>,
    link: Pick<Link<unknown>, 'up' | 'generation'>,
    memory: WordMemory,
  ) {
    this.#context = context;
    this.#link = link;
    this.#memory = memory;
  }

  /** As `Driver.read`. */
  async read(points: readonly Point[], into: Values, call: Call): Promise<void> {
    const { ranges, invalid } = this.#planOf(points, call);
    for (const { index, fault } of invalid) into.fault(index, fault);
    if (!this.#link.up) throw disconnected;
    const reader = {
      read: (range: PackedRange<Item>) => this.#readRange(range, into, call.signal),
      refused: ({ index }: Item, fault: Fault) => into.fault(index, fault),
    };
    await ranges.readAll(reader, this.#context.clock.monotonic(), this.#link.generation);
  }

  #planOf(points: readonly Point[], { cause }: Call): Plan {
    const known = this.#plans.get(points);
    if (known !== undefined) return known;
    const items: Item[] = [];
    const invalid: { index: number; fault: Fault }[] = [];
    points.forEach(({ address, type }, index) => {
      const place = this.#memory.parse(address, type);
      if (isFault(place)) invalid.push({ index, fault: place });
      else items.push({ ...place, index });
    });
    // A test read must not change what production remembers.
    const refusals = cause === 'test' ? new RefusalMemory<Fault>() : this.#refusals;
    const plan = { ranges: new RangePlan(items, this.#packing, refusals), invalid };
    if (cause !== 'test') this.#plans.set(points, plan);
    return plan;
  }

  readonly #packing = {
    gap: (area: number): number => (this.#memory.isBits(area) ? gap : gap / 2),
    most: (area: number): number => Math.min(this.#memory.most(area), this.#found[this.#kindOf(area)]),
  };

  /** Reads one range and takes its values over; a fault is that of a refusal that one item may have caused. */
  async #readRange(range: PackedRange<Item>, into: Values, signal: AbortSignal): Promise<Fault | undefined> {
    const { area, start, end, items } = range;
    try {
      const data = await this.#memory.read(area, start, end - start, { signal });
      for (const run of this.#runsOf(range)) run.decode(data, run, into);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      const blame = this.#memory.blames(error);
      if (blame === 'size' && items.length > 1 && end - start > 1) {
        await this.#readSmaller(range, into, signal);
        return undefined;
      }
      if (blame !== undefined) return error;
      for (const { index } of items) into.fault(index, error);
      return undefined;
    }
  }

  /** The request was too long for the PLC: halves the limit for good, and reads the items with it. */
  async #readSmaller(range: PackedRange<Item>, into: Values, signal: AbortSignal): Promise<void> {
    const kind = this.#kindOf(range.area);
    const half = (range.end - range.start) >> 1;
    if (half < this.#found[kind]) {
      this.#found[kind] = half;
      this.#refusals.version++;
      this.#context.log.notice(
        `The PLC finds requests for ${2 * half} ${kind} too long; from now on the driver asks for ${half} at most.`,
      );
    }
    for (const part of packRanges(range.items, this.#packing)) {
      const fault = await this.#readRange(part, into, signal);
      if (fault !== undefined) for (const { index } of part.items) into.fault(index, fault);
    }
  }

  #runsOf(range: PackedRange<Item>): readonly Run[] {
    const known = this.#runs.get(range);
    if (known !== undefined) return known;
    const width = this.#memory.isBits(range.area) ? 1 : 2;
    const runs = compileRuns(range.items, range.start, width, this.#memory.high);
    this.#runs.set(range, runs);
    return runs;
  }

  #kindOf(area: number): 'words' | 'bits' {
    return this.#memory.isBits(area) ? 'bits' : 'words';
  }
}
