import { read } from 'node:fs';
import { promisify } from 'node:util';

/** Reads from an open file without blocking the event loop. */
export const readAt = promisify(read);

/** Levels as a query names them, lowest first; the first letter of a level in a line is the place of its rank here. */
const letters = 'DINWEF';

/** Bytes of a block; it ends with the line in which they are reached. The last block of a file grows until then. */
const blockSize = 65_536;

/** Some lines of a log file that follow each other. */
export interface Block {
  readonly offset: number;
  readonly length: number;
  /** Least and greatest time of its lines, as `stampOf` gives it. */
  readonly least: number;
  readonly greatest: number;
  /** Number of lines by rank of their level. */
  readonly counts: Uint32Array;
}

/** The index of one log file, as far as it has been read: log files only grow. */
export interface FileIndex {
  readonly blocks: Block[];
  /** Bytes that the blocks cover. */
  end: number;
}

/** A line of a log file within a buffer, without its end. */
export type EachLine = (stamp: number, rank: number, start: number, end: number) => void;

/** The time of a line or of a moment as a number that compares like it: 20260722101112 for 2026-07-22 10:11:12 UTC. */
export function stampOf(seconds: number): number {
  return Number(new Date(seconds * 1000).toISOString().replaceAll(/[^\d]/g, '').slice(0, -3));
}

/**
 * Brings the index of an open log file up to its present `size`. A line that is not ended yet is left for the next
 * time.
 */
export async function extend(index: FileIndex, file: number, size: number, buffer: Buffer): Promise<void> {
  while (index.end < size) {
    const bytes = buffer.subarray(0, Math.min(buffer.length, size - index.end));
    const { bytesRead } = await readAt(file, bytes, 0, bytes.length, index.end);
    const length = wholeLines(bytes.subarray(0, bytesRead));
    if (length === 0) return;
    for (let start = 0; start < length;) {
      const last = index.blocks.at(-1);
      const room = last !== undefined && last.length < blockSize ? blockSize - last.length : blockSize;
      const cut = bytes.indexOf(10, Math.min(start + room, length) - 1);
      const end = cut < 0 || cut >= length ? length : cut + 1;
      add(index.blocks, blockOf(bytes.subarray(start, end), index.end + start));
      start = end;
    }
    index.end += length;
  }
}

/** Bytes up to the end of the last line; of a buffer without one, all, so that nothing can stop a reader. */
function wholeLines(bytes: Buffer): number {
  const last = bytes.lastIndexOf(10);
  return last < 0 && bytes.length < blockSize ? 0 : last < 0 ? bytes.length : last + 1;
}

function blockOf(bytes: Buffer, offset: number): Block {
  const counts = new Uint32Array(letters.length);
  let least = Infinity;
  let greatest = -Infinity;
  eachLine(bytes, (stamp, rank) => {
    if (stamp < least) least = stamp;
    if (stamp > greatest) greatest = stamp;
    counts[rank] = (counts[rank] as number) + 1;
  });
  return { offset, length: bytes.length, least, greatest, counts };
}

/** Adds what follows the last block, or joins it with that: each query would else leave a block of what was logged since the one before. */
function add(blocks: Block[], next: Block): void {
  const last = blocks.at(-1);
  // A line may be longer than a block, and a block has to fit into a reader's buffer.
  if (last === undefined || last.length >= blockSize || last.length + next.length > 2 * blockSize)
    return void blocks.push(next);
  blocks[blocks.length - 1] = {
    offset: last.offset,
    length: last.length + next.length,
    least: Math.min(last.least, next.least),
    greatest: Math.max(last.greatest, next.greatest),
    counts: last.counts.map((count, rank) => count + (next.counts[rank] ?? 0)),
  };
}

/** Calls `each` with every whole line of the log; what is no line of it, such as one that a crash cut off, is left out. */
export function eachLine(bytes: Buffer, each: EachLine): void {
  for (let start = 0; start < bytes.length;) {
    const cut = bytes.indexOf(10, start);
    const end = cut < 0 ? bytes.length : cut;
    // 2026-07-22 10:11:12.123 [INFO] …
    if (end - start > 27 && bytes[start + 24] === 0x5b) {
      const stamp = digits(bytes, start);
      const rank = letters.indexOf(String.fromCharCode(bytes[start + 25] as number));
      if (stamp === stamp && rank >= 0) each(stamp, rank, start, end);
    }
    start = end + 1;
  }
}

const places = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18] as const;

function digits(bytes: Buffer, start: number): number {
  let number = 0;
  for (const place of places) {
    const digit = (bytes[start + place] as number) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    number = number * 10 + digit;
  }
  return number;
}
