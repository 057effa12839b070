import { open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { encodedSize } from './record.ts';
import { parseName, pathOf, readChunk, Segment } from './segment.ts';

/** Name of the file with the sequence up to which all records are done. */
export const cursorName = 'cursor';

/** The content of the cursor's file: all records up to this sequence are done. */
export function cursorBytes(sequence: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeDoubleLE(sequence);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

/** A lost or damaged cursor only means that records are sent again. */
async function readCursor(folder: string): Promise<number> {
  const bytes = await readFile(join(folder, cursorName)).catch(() => Buffer.alloc(0));
  const sound = bytes.length === 12 && crc32(bytes.subarray(0, 8)) === bytes.readUInt32LE(8);
  return sound ? bytes.readDoubleLE() : 0;
}

export interface Recovered {
  readonly segments: Segment[];
  /** All records up to this sequence are done. */
  readonly done: number;
  /** The last sequence that was given. */
  readonly last: number;
  /** Records of complete files that cannot be read. */
  readonly lost: number;
  /** Damaged bytes between the records of other files. */
  readonly damaged: number;
}

/** The files of an earlier run in the folder, which need not exist. */
export async function recover(folder: string): Promise<Recovered> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const done = await readCursor(folder);
  const found = names
    .flatMap((name) => {
      const parsed = parseName(name);
      return parsed === undefined ? [] : [{ name, ...parsed }];
    })
    .sort((one, other) => one.first - other.first);
  const segments: Segment[] = [];
  let last = done;
  let lost = 0;
  let damaged = 0;
  for (const [index, { name, first, count }] of found.entries()) {
    const segment = new Segment(first, name);
    const following = found[index + 1]?.first;
    if (following !== undefined && following <= done + 1) {
      await unlink(pathOf(folder, segment));
      continue;
    }
    // The name of a complete file has its count, so that gigabytes need not be read.
    if (count !== undefined && following !== undefined && first > done) {
      const file = await open(pathOf(folder, segment));
      segment.bytes = (await file.stat()).size;
      await file.close();
      segment.total = count;
      segment.remaining = count;
    } else {
      const seen = await scan(folder, segment, done);
      last = Math.max(last, seen.last);
      if (count === undefined) damaged += seen.damaged;
      else lost += count - segment.total;
    }
    if (segment.remaining > 0) segments.push(segment);
    else await unlink(pathOf(folder, segment));
  }
  return { segments, done, last, lost, damaged };
}

/**
 * Counts the records of a segment. Returns the sequence of the last one and the number of damaged bytes between records.
 * An incomplete record at the end, as a crash leaves it, is not counted.
 */
async function scan(
  folder: string,
  segment: Segment,
  done: number,
): Promise<{ readonly last: number; readonly damaged: number }> {
  const file = await open(pathOf(folder, segment));
  try {
    const { size } = await file.stat();
    let last = 0;
    let sound = 0;
    for (let at = 0; at < size;) {
      const { records, next, soundEnd } = await readChunk(file, at, size);
      at = next;
      if (records.length === 0) continue;
      segment.bytes = soundEnd;
      segment.total += records.length;
      for (const { sequence, key, data } of records) {
        if (sequence > done) segment.remaining++;
        sound += encodedSize(key, data);
        last = sequence;
      }
    }
    return { last, damaged: segment.bytes - sound };
  } finally {
    await file.close();
  }
}
