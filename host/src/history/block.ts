import { crc32 } from 'node:zlib';
import { Pacer } from '../core/system/pacer.ts';
import { BitReader, BitWriter } from './bits.ts';
import { readColumn, writeColumn } from './column.ts';
import { readNumbers, writeNumbers } from './numbers.ts';
import type { Points, SampleRun } from './points.ts';

/**
 * A block holds what the tags of a group were for about a minute: a head, a directory of its columns, the times of its samples, and the
 * columns one after another, so that one tag is read without the others. Each part has a checksum: what a crash or a loss of power
 * has torn is not taken for values.
 */

const magic = 0x31425754;
export const headLength = 48;
/** Most bytes of a block: more is no block of ours. */
const mostBytes = 1 << 28;

/** What the head of a block says. */
export interface Head {
  /** Bytes of the whole block. */
  readonly length: number;
  /** Bytes from the begin of the block to its first column. */
  readonly columnsAt: number;
  readonly columns: number;
  /** Samples that have all columns. */
  readonly wholes: number;
  /** Nothing is known of the time between the block before and this one. */
  readonly isAfterGap: boolean;
  /** Times of its first and its last sample, in milliseconds since the epoch. */
  readonly first: number;
  readonly last: number;
}

/** Where a column is in its block. */
export interface Place {
  readonly at: number;
  readonly length: number;
  readonly checksum: number;
}

/** One for all blocks: they are written one after another. */
const writer = new BitWriter();

/** Writes a block of the samples of a run. Nothing may be added to the run meanwhile, and only one block may be written at a time. */
export async function writeBlock(run: SampleRun): Promise<Buffer> {
  const pace = new Pacer();
  writer.clear();
  writeNumbers(writer, run.wholeTimes());
  const timesLength = writer.length;
  const ids: number[] = [];
  const ends: number[] = [];
  for (const [column, { id }] of run.tags.entries()) {
    if (pace.isDue) await pace.rest();
    const points = run.points(column);
    if (points === undefined) continue;
    writeColumn(writer, points, run.hasEvents(column));
    ids.push(id);
    ends.push(writer.length);
  }
  const parts = writer.copy();
  writer.clear();
  let begin = timesLength;
  let before = 0;
  for (const [index, id] of ids.entries()) {
    const end = ends[index]!;
    writer.varint(id > before ? (id - before) * 2 : (before - id) * 2 + 1);
    writer.varint(end - begin);
    writer.put(crc32(parts.subarray(begin, end)), 32);
    before = id;
    begin = end;
  }
  const directory = writer.copy();
  const head = Buffer.alloc(headLength);
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(headLength + directory.length + parts.length, 4);
  head.writeUInt32LE(headLength + directory.length + timesLength, 8);
  head.writeUInt32LE(directory.length, 12);
  head.writeUInt32LE(ids.length, 16);
  head.writeUInt32LE(run.wholes, 20);
  head.writeUInt32LE(run.isAfterGap ? 1 : 0, 24);
  head.writeDoubleLE(run.first, 28);
  head.writeDoubleLE(run.last, 36);
  head.writeUInt32LE(sumOf(head, [directory, parts.subarray(0, timesLength)]), 44);
  return Buffer.concat([head, directory, parts]);
}

function sumOf(head: Uint8Array, rest: readonly Uint8Array[]): number {
  let sum = crc32(head.subarray(0, 44));
  for (const part of rest) sum = crc32(part, sum);
  return sum;
}

/** The head of a block that these bytes begin with; undefined where they are none. */
export function readHead(bytes: Buffer): Head | undefined {
  if (bytes.length < headLength || bytes.readUInt32LE(0) !== magic) return undefined;
  const head = {
    length: bytes.readUInt32LE(4),
    columnsAt: bytes.readUInt32LE(8),
    columns: bytes.readUInt32LE(16),
    wholes: bytes.readUInt32LE(20),
    isAfterGap: bytes.readUInt32LE(24) === 1,
    first: bytes.readDoubleLE(28),
    last: bytes.readDoubleLE(36),
  };
  const isPlausible =
    head.length <= mostBytes &&
    head.columnsAt <= head.length &&
    headLength + bytes.readUInt32LE(12) <= head.columnsAt &&
    head.wholes <= head.length * 64 &&
    head.first <= head.last;
  return isPlausible ? head : undefined;
}

/** Whether the bytes from the head to the first column are what was written. */
export function isSound(bytes: Buffer, { columnsAt }: Head): boolean {
  return (
    bytes.length >= columnsAt &&
    bytes.readUInt32LE(44) === sumOf(bytes, [bytes.subarray(headLength, columnsAt)])
  );
}

/** The place of a tag's column in a sound block; undefined where the block has none. */
export function findColumn(bytes: Buffer, { columns, columnsAt }: Head, tag: number): Place | undefined {
  const reader = new BitReader(bytes.subarray(headLength, columnsAt));
  let id = 0;
  let at = columnsAt;
  for (let column = 0; column < columns; column++) {
    const difference = reader.varint();
    id += difference % 2 === 0 ? difference / 2 : -(difference - 1) / 2;
    const length = reader.varint();
    const checksum = reader.get(32);
    if (id === tag) return { at, length, checksum };
    at += length;
  }
  return undefined;
}

/** Whether a whole block is what was written. */
export function isWhole(bytes: Buffer, head: Head): boolean {
  if (bytes.length < head.length || !isSound(bytes, head)) return false;
  const reader = new BitReader(bytes.subarray(headLength, head.columnsAt));
  let at = head.columnsAt;
  for (let column = 0; column < head.columns; column++) {
    reader.varint();
    const length = reader.varint();
    if (crc32(bytes.subarray(at, at + length)) !== reader.get(32)) return false;
    at += length;
  }
  return at === head.length;
}

/** What a tag was in a sound block; undefined where its column is damaged. */
export function pointsOf(bytes: Buffer, head: Head, column: Buffer, { checksum }: Place): Points | undefined {
  if (crc32(column) !== checksum) return undefined;
  const directory = bytes.readUInt32LE(12);
  const times = readNumbers(
    new BitReader(bytes.subarray(headLength + directory, head.columnsAt)),
    head.wholes,
  );
  return readColumn(new BitReader(column), times);
}
