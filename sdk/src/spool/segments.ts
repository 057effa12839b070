import { mkdir, open, rename, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Fifo } from './fifo.ts';
import { encode, encodedSize, type SpoolRecord } from './record.ts';
import { cursorBytes, cursorName, recover, type Recovered } from './recovery.ts';
import { pathOf, readChunk, Segment, segmentName, type Chunk } from './segment.ts';

/** Most bytes that are written at once, unless one record is longer. */
const batchSize = 4_194_304;

/** Smallest and largest size of a file in bytes, unless one record is longer. */
const smallest = 65_536;
const largest = 8_388_608;

/** Size of a file: a sixteenth of the cap, so that dropping one drops little, within bounds. */
export function segmentSize(cap: number): number {
  return Math.min(largest, Math.max(smallest, Math.floor(cap / 16)));
}

/** A part of a list of records that one write takes. */
export interface Batch<T> {
  readonly records: readonly T[];
  readonly size: number;
}

export interface Place {
  readonly segment: Segment;
  /** Number of the record in its segment. */
  readonly index: number;
}

export type ReadRecord = SpoolRecord & Place;

/** The files of a spool, oldest first. Its methods that return promises are called one at a time. */
export class Segments {
  readonly #folder: string;
  readonly #segmentSize: number;
  #segments: Segment[] = [];
  /** The segment that records are added to, the last one. */
  #active: { readonly segment: Segment; readonly file: FileHandle } | undefined;
  /** The segment that is read, the place in it, and the records seen there. */
  #reading: { readonly segment: Segment; offset: number; seen: number } | undefined;
  /** Segments that begin up to here have been read. */
  #readUpTo = -1;
  /** All records up to this sequence are done. */
  #done = 0;
  #remaining = 0;
  #bytes = 0;
  /** Records that were read and not taken. */
  #read = new Fifo<ReadRecord>();

  /** `cap` in bytes decides the size of the files. */
  constructor(folder: string, cap: number) {
    this.#folder = folder;
    this.#segmentSize = segmentSize(cap);
  }

  /** Takes over the files of an earlier run. */
  async recover(): Promise<Recovered> {
    const recovered = await recover(this.#folder);
    this.#segments = recovered.segments;
    this.#done = recovered.done;
    for (const { remaining, bytes } of this.#segments) {
      this.#remaining += remaining;
      this.#bytes += bytes;
    }
    return recovered;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records that are not done. */
  get remaining(): number {
    return this.#remaining;
  }

  get hasSpent(): boolean {
    return this.#segments.some(({ remaining }) => remaining <= 0);
  }

  /** The first records of a list that go into one write. */
  batch<T extends SpoolRecord>(records: readonly T[]): Batch<T> {
    const [first] = records;
    if (first === undefined) return { records, size: 0 };
    const used = this.#active?.segment.bytes ?? 0;
    let size = encodedSize(first.key, first.data);
    const room = used + size > this.#segmentSize ? this.#segmentSize : this.#segmentSize - used;
    let count = 1;
    for (; count < records.length; count++) {
      const { key, data } = records[count] as T;
      const more = encodedSize(key, data);
      if (size + more > Math.min(room, batchSize)) break;
      size += more;
    }
    return { records: records.slice(0, count), size };
  }

  /**
   * Adds records and resolves with the place of the first when they are safe on the disk; the others follow it. When it
   * rejects nothing was added.
   */
  async append({ records, size }: Batch<SpoolRecord>): Promise<Place> {
    if (this.#active !== undefined && this.#active.segment.bytes + size > this.#segmentSize)
      await this.seal();
    this.#active ??= await this.#create((records[0] as SpoolRecord).sequence);
    const { segment, file } = this.#active;
    const bytes = Buffer.allocUnsafe(size);
    let end = 0;
    for (const record of records) end = encode(record, bytes, end);
    try {
      for (let written = 0; written < size;) {
        const { bytesWritten } = await file.write(bytes, written, size - written, segment.bytes + written);
        written += bytesWritten;
      }
      await file.datasync();
    } catch (error) {
      // What was written is overwritten by the next attempt; until then it only takes room.
      await file.truncate(segment.bytes).catch(() => undefined);
      throw error;
    }
    const place = { segment, index: segment.total };
    segment.bytes += size;
    this.#bytes += size;
    segment.total += records.length;
    segment.remaining += records.length;
    this.#remaining += records.length;
    return place;
  }

  /** The next record that was read. */
  take(): ReadRecord | undefined {
    return this.#read.shift();
  }

  /** A record is done. */
  finish({ segment, index }: Place): void {
    if (segment.dropped) return;
    segment.setPassed(index, true);
    segment.remaining--;
    this.#remaining--;
  }

  /** Ends the segment that records are added to. */
  async seal(): Promise<void> {
    if (this.#active === undefined) return;
    const { segment, file } = this.#active;
    this.#active = undefined;
    await file.close();
    if (segment.total === 0) return;
    const name = segmentName(segment.first, segment.total);
    // Without the new name the next start counts the records itself.
    await rename(pathOf(this.#folder, segment), join(this.#folder, name)).then(
      () => (segment.name = name),
      () => undefined,
    );
  }

  get oldest(): Segment | undefined {
    return this.#segments[0];
  }

  /** The segment that `read` reads. */
  get current(): Segment | undefined {
    return this.#reading?.segment;
  }

  /** Gives up a segment and all its records. */
  async drop(segment: Segment): Promise<void> {
    segment.dropped = true;
    await this.#remove(segment);
  }

  /** Removes segments whose records are all done. */
  async sweep(): Promise<void> {
    for (const segment of this.#segments.filter(({ remaining }) => remaining <= 0))
      await this.#remove(segment);
  }

  /** Whether `take` has something. */
  get hasRead(): boolean {
    return this.#read.size > 0;
  }

  /** Whether `read` has something to read. */
  get hasUnread(): boolean {
    const reading = this.#reading;
    if (reading !== undefined && reading.offset < reading.segment.bytes) return true;
    return this.#segments.some(({ first }) => first > (reading?.segment.first ?? this.#readUpTo));
  }

  /** Reads the next records for `take`. Returns how many turned out to be unreadable. */
  async read(): Promise<number> {
    const segment = this.#reading?.segment ?? this.#segments.find(({ first }) => first > this.#readUpTo);
    if (segment === undefined) return 0;
    const reading = (this.#reading ??= { segment, offset: 0, seen: 0 });
    if (reading.offset < segment.bytes) {
      const chunk = await this.#chunk(segment, reading.offset);
      // `rewind` or `drop` may have been called meanwhile.
      if (this.#reading !== reading) return 0;
      reading.offset = chunk.next;
      for (const record of chunk.records) {
        const index = reading.seen++;
        if (record.sequence > this.#done && !segment.hasPassed(index))
          this.#read.push({ ...record, segment, index });
      }
    }
    if (reading.offset < segment.bytes) return 0;
    const lost = segment.total - reading.seen;
    segment.total -= lost;
    segment.remaining -= lost;
    this.#remaining -= lost;
    if (segment !== this.#active?.segment) this.#leave(segment);
    return lost;
  }

  /** Sends the reader back to the oldest record that is not done. */
  rewind(): void {
    this.#reading = undefined;
    this.#readUpTo = -1;
    this.#read = new Fifo();
  }

  /** Stores that all records up to this sequence are done. */
  async saveCursor(sequence: number): Promise<void> {
    await writeFile(join(this.#folder, cursorName), cursorBytes(sequence));
  }

  async close(): Promise<void> {
    await this.sweep();
    await this.seal();
  }

  async #create(first: number): Promise<{ segment: Segment; file: FileHandle }> {
    await mkdir(this.#folder, { recursive: true });
    const segment = new Segment(first, segmentName(first));
    const file = await open(pathOf(this.#folder, segment), 'w');
    this.#segments.push(segment);
    await this.#syncFolder();
    return { segment, file };
  }

  /** Makes a new file's name as safe as its content, where the file system can. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder).catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }

  async #chunk(segment: Segment, from: number): Promise<Chunk> {
    const file = await open(pathOf(this.#folder, segment));
    try {
      return await readChunk(file, from, segment.bytes);
    } finally {
      await file.close();
    }
  }

  async #remove(segment: Segment): Promise<void> {
    if (this.#reading?.segment === segment) this.#leave(segment);
    this.#segments = this.#segments.filter((other) => other !== segment);
    this.#remaining -= segment.remaining;
    this.#bytes -= segment.bytes;
    if (this.#read.first?.segment === segment)
      this.#read = new Fifo(this.#read.items().filter((record) => record.segment !== segment));
    if (this.#active?.segment === segment) {
      const { file } = this.#active;
      this.#active = undefined;
      await file.close();
    }
    await unlink(pathOf(this.#folder, segment));
  }

  #leave(segment: Segment): void {
    this.#readUpTo = segment.first;
    this.#reading = undefined;
  }
}

/** Whether a write failed because there is no room. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
