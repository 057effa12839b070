import { mkdir, open, readdir, truncate, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { findColumn, headLength, isSound, isWhole, pointsOf, readHead, type Head } from './block.ts';
import type { Points } from './points.ts';

/** Milliseconds that are kept at least, as far as there is room. */
export const keptTime = 24 * 3600_000;
/** Milliseconds and share of the ring after which another segment begins: they go as a whole. */
const segmentTime = 3600_000;
const segmentShare = 16;

/** Bytes that are read at once while heads are looked for, and of a block that is read as a whole. */
const windowBytes = 1 << 16;

/** Where a block is. */
export interface BlockPlace extends Head {
  readonly at: number;
}

/** A file with blocks, the older first. */
interface Segment {
  readonly number: number;
  /** Bytes of whole blocks. What is behind them is not counted, and is written over. */
  length: number;
  /** The time at which it begins. */
  first: number;
  /** Of one that is complete, once it was looked through. */
  blocks?: readonly BlockPlace[];
  /** The latest time in it. */
  last?: number;
}

const ending = '.history';

/**
 * The blocks of one group on disk: files to which blocks are added, the oldest of which goes when there is no room for another block or when
 * all in it is older than a day. Its calls are made one after another.
 */
export class Ring {
  readonly #folder: string;
  readonly #now: () => number;
  #segments: Segment[] = [];
  #isOpen = false;

  /** `now`: the time of the day. */
  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#segments.reduce((sum, { length }) => sum + length, 0);
  }

  /** Takes up what an earlier run has left, without what a crash has torn. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    const numbers = names.filter((name) => name.endsWith(ending)).map((name) => Number.parseInt(name, 10));
    const segments: Segment[] = [];
    for (const number of numbers.toSorted((one, other) => one - other)) {
      const isLast = number === Math.max(...numbers);
      const segment = await this.#takeUp(number, isLast);
      if (segment === undefined) await unlink(this.#pathOf(number));
      else segments.push(segment);
    }
    this.#segments = segments;
    this.#isOpen = true;
  }

  /** Undefined where nothing of it is sound. */
  async #takeUp(number: number, isLast: boolean): Promise<Segment | undefined> {
    await using file = await open(this.#pathOf(number), 'r');
    const { size } = await file.stat();
    if (!isLast) {
      const head = readHead(await readAt(file, 0, Math.min(headLength, size)));
      return head && { number, length: size, first: head.first };
    }
    const blocks = await findBlocks(file, size);
    // What was written last may be torn anywhere.
    for (let block = blocks.at(-1); block !== undefined; block = blocks.at(-1)) {
      if (isWhole(await readAt(file, block.at, block.length), block)) break;
      blocks.pop();
    }
    const [first] = blocks;
    const last = blocks.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const length = last.at + last.length;
    if (length < size) await truncate(this.#pathOf(number), length);
    return { number, length, first: first.first };
  }

  /** Adds a block; older ones go, so that all together take `bound` bytes at most. */
  async append(block: Buffer, { first, last }: Pick<Head, 'first' | 'last'>, bound: number): Promise<void> {
    if (block.length > bound)
      throw new Error(
        `a block of it has ${block.length} bytes, which is more than the history may have: give it more megabytes`,
      );
    await this.open();
    await this.#makeRoom(block.length, bound);
    let segment = this.#segments.at(-1);
    const isFull =
      segment !== undefined &&
      (segment.length + block.length > bound / segmentShare ||
        first < segment.first ||
        first - segment.first >= segmentTime);
    const isNew = segment === undefined || isFull;
    segment = isNew || !segment ? { number: (segment?.number ?? 0) + 1, length: 0, first } : segment;
    if (isNew) await mkdir(this.#folder, { recursive: true });
    await using file = await open(this.#pathOf(segment.number), isNew ? 'w' : 'r+', 0o600);
    let written = 0;
    try {
      while (written < block.length) {
        const { bytesWritten } = await file.write(block, written, undefined, segment.length + written);
        written += bytesWritten;
      }
    } catch (error) {
      // The disk may be full: what is there of the block is of no use.
      await file.truncate(segment.length).catch(() => undefined);
      throw error;
    }
    segment.length += block.length;
    segment.last = Math.max(segment.last ?? -Infinity, last);
    delete segment.blocks;
    if (isNew) this.#segments.push(segment);
  }

  async #makeRoom(needed: number, bound: number): Promise<void> {
    for (let [oldest] = this.#segments; oldest !== undefined; [oldest] = this.#segments) {
      const isOver = this.bytes + needed > bound;
      if (!isOver && !(await this.#isTooOld(oldest))) return;
      await unlink(this.#pathOf(oldest.number)).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
      this.#segments.shift();
    }
  }

  async #isTooOld(segment: Segment): Promise<boolean> {
    const oldest = this.#now() - keptTime;
    if (segment.first >= oldest) return false;
    segment.last ??= Math.max(...(await this.#blocksOf(segment)).map(({ last }) => last));
    return segment.last < oldest;
  }

  /** All blocks in the order in which they were written, file by file. */
  async blocks(): Promise<{ readonly segment: number; readonly block: BlockPlace }[]> {
    await this.open();
    const all: { segment: number; block: BlockPlace }[] = [];
    for (const segment of this.#segments) {
      segment.blocks ??= await this.#blocksOf(segment);
      for (const block of segment.blocks) all.push({ segment: segment.number, block });
    }
    return all;
  }

  /** Forgets where blocks are, which the next `blocks` looks for again. */
  forgetBlocks(): void {
    for (const segment of this.#segments) delete segment.blocks;
  }

  async #blocksOf({ number, length }: Segment): Promise<readonly BlockPlace[]> {
    await using file = await open(this.#pathOf(number), 'r');
    return await findBlocks(file, length);
  }

  /** Opens a file of blocks to read points of it. */
  async reader(segment: number): Promise<BlockReader> {
    return new BlockReader(await open(this.#pathOf(segment), 'r'));
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${String(number).padStart(9, '0')}${ending}`);
  }
}

/** Reads points of one file of blocks. */
export class BlockReader {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** What a tag was in a block; undefined where the block has no such tag, or is damaged. */
  async points(block: BlockPlace, tag: number): Promise<Points | undefined> {
    const { at, length, columnsAt } = block;
    const isShort = length <= windowBytes;
    const bytes = await readAt(this.#file, at, isShort ? length : columnsAt);
    if (!isSound(bytes, block)) return undefined;
    const place = findColumn(bytes, block, tag);
    if (place === undefined) return undefined;
    const column = isShort
      ? bytes.subarray(place.at, place.at + place.length)
      : await readAt(this.#file, at + place.at, place.length);
    return pointsOf(bytes, block, column, place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

/** The blocks of a file, up to the first that is none. */
async function findBlocks(file: FileHandle, size: number): Promise<BlockPlace[]> {
  const found: BlockPlace[] = [];
  let from = 0;
  let bytes: Buffer = Buffer.alloc(0);
  for (let at = 0; at + headLength <= size;) {
    if (at < from || at + headLength > from + bytes.length) {
      from = at;
      bytes = await readAt(file, at, Math.min(windowBytes, size - at));
    }
    const head = readHead(bytes.subarray(at - from));
    if (head === undefined || at + head.length > size) break;
    found.push({ ...head, at });
    at += head.length;
  }
  return found;
}

/** Fewer bytes where the file ends. */
async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
