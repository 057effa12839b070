import type { HistoryReading, Sample } from '@tagway/sdk';
import type { Group, Tag } from '../core/model.ts';
import type { BoundedRange } from '../core/ports/history.ts';
import { writeBlock } from './block.ts';
import { SampleRun } from './points.ts';
import { query } from './query.ts';
import type { Piece } from './range.ts';
import type { BlockReader, Ring } from './ring.ts';

/** Samples and values after which a block is written before its time. Of a group of very many tags a block has `fewestSamples` at least. */
const mostSamples = 1000;
const mostValues = 250_000;
const fewestSamples = 16;
/** The share of the ring that a block may take before it is compressed. */
const blockShare = 4;
/** As many blocks may wait for the disk. */
const mostWaiting = 4;
/** Milliseconds by which samples may come in another order, without the clock having been set back. */
const jitter = 1000;

export const megabyte = 1_000_000;

/** The history of one group: what is on disk, and the samples that will be. */
export class GroupHistory {
  readonly group: Group;
  readonly ring: Ring;
  /** Why nothing is stored now, in a sentence. */
  problem: string | undefined;
  /** It is to be stored already. */
  isQueued = false;
  #run: SampleRun | undefined;
  readonly #waiting: SampleRun[] = [];
  /** When the oldest sample that waits came, by a clock that never jumps. */
  #since = 0;
  /** Nothing is known of the time since the latest block, or there was none since the gateway began. */
  #isAfterGap = true;

  constructor(group: Group, ring: Ring) {
    this.group = group;
    this.ring = ring;
  }

  /** Bytes that it may take on disk. */
  get bound(): number {
    return this.group.history * megabyte;
  }

  /** Takes a sample. Returns whether so much waits that it is to be stored now. */
  take(sample: Sample, tags: readonly Tag[]): boolean {
    let run = this.#run;
    if (run === undefined || run.tags !== tags || sample.timestamp < run.last - jitter) {
      if (run === undefined && this.#waiting.length === 0) this.#since = performance.now();
      this.#close();
      this.#run = run = new SampleRun(tags, this.#isAfterGap);
      this.#isAfterGap = false;
    }
    run.add(sample);
    const wide = Math.max(mostValues, fewestSamples * tags.length);
    const most = Math.min(wide, this.bound / blockShare / 8);
    if (run.length >= mostSamples || run.values >= most) this.#close();
    return this.#waiting.length > 0;
  }

  /** Milliseconds that the oldest sample waits. */
  get age(): number {
    return this.#run === undefined && this.#waiting.length === 0 ? 0 : performance.now() - this.#since;
  }

  /** Ends the run. Where the disk does not keep up, the oldest that waits is given up. */
  #close(): void {
    if (this.#run === undefined) return;
    this.#waiting.push(this.#run);
    this.#run = undefined;
    if (this.#waiting.length <= mostWaiting) return;
    this.#waiting.shift();
    const [next] = this.#waiting;
    if (next !== undefined) next.isAfterGap = true;
  }

  /** Stores all that waits. Rejects when that fails; what could not be stored is given up. */
  async store(): Promise<void> {
    this.#close();
    this.#since = performance.now();
    for (let run = this.#waiting[0]; run !== undefined; run = this.#waiting[0]) {
      try {
        await this.ring.append(await writeBlock(run), run, this.bound);
      } catch (error) {
        this.#isAfterGap = true;
        const [next] = this.#waiting.slice(1);
        if (next !== undefined) next.isAfterGap = true;
        throw error;
      } finally {
        if (this.#waiting[0] === run) this.#waiting.shift();
      }
    }
  }

  async read(tag: number, range: BoundedRange): Promise<HistoryReading> {
    const stored = await this.ring.blocks();
    await using readers = new Readers(this.ring);
    const pieces: Piece[] = stored.map(({ segment, block }) => ({
      first: block.first,
      last: block.last,
      isAfterGap: block.isAfterGap,
      load: async () => (await readers.of(segment)).points(block, tag),
    }));
    for (const run of [...this.#waiting, ...(this.#run === undefined ? [] : [this.#run])]) {
      const { first, last, isAfterGap } = run;
      const column = run.tags.findIndex(({ id }) => id === tag);
      const points = column < 0 ? undefined : run.points(column);
      pieces.push({ first, last, isAfterGap, load: () => Promise.resolve(points) });
    }
    const found = await query(pieces, range);
    return { ...found, oldest: pieces[0]?.first, problem: this.problem };
  }
}

/** The file of which points were read last stays open. */
class Readers {
  readonly #ring: Ring;
  #open: { readonly segment: number; readonly reader: BlockReader } | undefined;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  async of(segment: number): Promise<BlockReader> {
    if (this.#open?.segment === segment) return this.#open.reader;
    await this[Symbol.asyncDispose]();
    const reader = await this.#ring.reader(segment);
    this.#open = { segment, reader };
    return reader;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.reader[Symbol.asyncDispose]();
  }
}
