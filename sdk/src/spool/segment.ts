import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { nextMarker, parse, type Parsed } from './record.ts';

/** Bytes that are read at once, unless one record is longer. */
const chunkSize = 262_144;

/** One file of records in the order of their sequences. */
export class Segment {
  /** Sequence of its first record. */
  readonly first: number;
  /** Name of its file. */
  name: string;
  /** Bytes of its sound part, from the beginning. */
  bytes = 0;
  /** Records in the file. */
  total = 0;
  /** Records of these that are not done. */
  remaining = 0;
  /** The file was dropped, with all its records. */
  dropped = false;
  #passed = new Uint8Array(0);

  constructor(first: number, name: string) {
    this.first = first;
    this.name = name;
  }

  /** Whether the record with this number in the file is not to be handed out: it is done, or was handed out before it was stored. */
  hasPassed(index: number): boolean {
    return ((this.#passed[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  setPassed(index: number, passed: boolean): void {
    const at = index >> 3;
    if (at >= this.#passed.length) {
      if (!passed) return;
      const longer = new Uint8Array(Math.max(at + 1, this.#passed.length * 2, 64));
      longer.set(this.#passed);
      this.#passed = longer;
    }
    const byte = this.#passed[at] ?? 0;
    this.#passed[at] = passed ? byte | (1 << (index & 7)) : byte & ~(1 << (index & 7));
  }
}

const digits = 16;
const namePattern = /^(\d{16})(?:\.(\d+))?\.spool$/;

/** Name of a file that records are still added to; with a count, of one that is complete. */
export function segmentName(first: number, count?: number): string {
  const start = String(first).padStart(digits, '0');
  return count === undefined ? `${start}.spool` : `${start}.${count}.spool`;
}

/** The first sequence and the count in the name of a file, or undefined when it is not a segment. */
export function parseName(name: string): { first: number; count: number | undefined } | undefined {
  const match = namePattern.exec(name);
  if (match === null) return undefined;
  return { first: Number(match[1]), count: match[2] === undefined ? undefined : Number(match[2]) };
}

export function pathOf(folder: string, segment: Segment): string {
  return join(folder, segment.name);
}

export interface Chunk {
  readonly records: readonly Parsed[];
  /** Where the next chunk begins. */
  readonly next: number;
  /** Where the last sound record ends, or where the chunk began when it holds none. */
  readonly soundEnd: number;
}

/** Reads the records from a place on and skips damaged bytes; `end` is the expected size of the file. */
export async function readChunk(file: FileHandle, from: number, end: number): Promise<Chunk> {
  const records: Parsed[] = [];
  let bytes = await readAt(file, from, Math.min(chunkSize, end - from));
  let at = 0;
  let soundEnd = from;
  while (at < bytes.length) {
    const found = parse(bytes, at);
    if (typeof found === 'object') {
      records.push(found);
      at = found.end;
      soundEnd = from + at;
    } else if (found !== undefined && from + at + found <= end && bytes.length < end - from) {
      if (at > 0) break;
      const longer = await readAt(file, from, found);
      // The file is shorter than expected.
      if (longer.length <= bytes.length) end = from + bytes.length;
      bytes = longer;
    } else {
      at = nextMarker(bytes, at);
    }
  }
  return { records, next: bytes.length === 0 ? end : from + at, soundEnd };
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
