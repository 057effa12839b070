import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { Lock } from '../core/records/lock.ts';
import type { LogPage, LogQuery } from '../core/ports/machine.ts';
import { type Block, eachLine, extend, type FileIndex, readAt, stampOf } from './block-index.ts';
import { logFileNames } from './file.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** Queries that may wait for the one that is under way. */
const waitingLimit = 100;
/** Bytes that are read at once. */
const chunk = 1 << 20;
/** Bytes of rows in a page; of further lines only the beginning is returned. */
const pageBytes = 8_000_000;
const beginning = 400;

/** Ranks of the levels of a query among the letters of lines; info and above includes notice. */
const ranks = { trace: 0, debug: 0, info: 1, warn: 3, error: 4, fatal: 5 } as const;

interface OpenFile {
  readonly file: number;
  readonly index: FileIndex;
  readonly size: number;
}

/**
 * Answers queries of the log files of a folder. An index keeps the times of each block of 64 KiB and its number of lines of each level, so
 * that a query reads only the blocks that it needs. The clock may have been set back within a file; blocks are therefore checked one by
 * one, without binary search.
 */
export class LogReader {
  readonly #folder: string;
  readonly #count: number | undefined;
  readonly #lock = new Lock();
  /** By inode and birth time of the file, which a rename does not change. */
  #indexes = new Map<string, FileIndex>();

  constructor(folder: string, count?: number) {
    this.#folder = folder;
    this.#count = count;
  }

  /** Rejects with BUSY when many queries wait. */
  query(query: LogQuery): Promise<LogPage> {
    return this.#lock.run(() => this.#query(query), waitingLimit);
  }

  /** A page of the lines of some time that `accepts` takes, newest first. Rejects as `query` does. */
  newest(
    { since, until, page, pageSize }: Pick<LogQuery, 'since' | 'until' | 'page' | 'pageSize'>,
    accepts?: (line: string) => boolean,
  ): Promise<LogPage> {
    const wanted = { from: stampOf(since), to: stampOf(until), rank: 0, accepts, isNewestFirst: true };
    return this.#lock.run(() => this.#read(wanted, page, pageSize), waitingLimit);
  }

  #query({ since, until, level, page, pageSize, node = '', text = '' }: LogQuery): Promise<LogPage> {
    const accepts = node === '' && text === '' ? undefined : (line: string) => fits(line, node, text);
    const times = { from: stampOf(since), to: stampOf(until) };
    return this.#read({ ...times, rank: ranks[level], accepts, isNewestFirst: false }, page, pageSize);
  }

  async #read(wanted: Wanted, page: number, pageSize: number): Promise<LogPage> {
    const files = this.#open();
    if (wanted.isNewestFirst) files.reverse();
    try {
      const buffer = Buffer.allocUnsafe(chunk);
      const rows = new Rows(page * pageSize, pageSize);
      for (const { file, index, size } of files) {
        await extend(index, file, size, buffer);
        const blocks = wanted.isNewestFirst ? index.blocks.toReversed() : index.blocks;
        for (const block of blocks) await visit(block, file, wanted, rows, buffer);
      }
      return { rows: rows.lines, pageCount: Math.ceil(rows.seen / pageSize) };
    } finally {
      for (const { file } of files) closeSync(file);
    }
  }

  /** The files, oldest first. None of them changes its name meanwhile, for the log is written by this process too. */
  #open(): OpenFile[] {
    const indexes = new Map<string, FileIndex>();
    const files = logFileNames(this.#count).flatMap((name): OpenFile[] => {
      const file = openIfThere(join(this.#folder, name));
      if (file === undefined) return [];
      const { ino, birthtimeMs, size } = fstatSync(file);
      const identity = `${ino} ${birthtimeMs}`;
      const known = this.#indexes.get(identity);
      const index = known !== undefined && known.end <= size ? known : { blocks: [], end: 0 };
      indexes.set(identity, index);
      return [{ file, index, size }];
    });
    this.#indexes = indexes;
    return files.reverse();
  }
}

interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly rank: number;
  /** Undefined: all. */
  readonly accepts: ((line: string) => boolean) | undefined;
  readonly isNewestFirst: boolean;
}

/** Counts what is wanted of a block, and takes its lines if the page needs them. */
async function visit(
  { offset, length, least, greatest, counts }: Block,
  file: number,
  { from, to, rank, accepts, isNewestFirst }: Wanted,
  rows: Rows,
  buffer: Buffer,
): Promise<void> {
  if (greatest < from || least >= to) return;
  if (accepts === undefined && least >= from && greatest < to) {
    const count = counts.subarray(rank).reduce((sum, one) => sum + one, 0);
    if (rows.skip(count)) return;
  }
  const { bytesRead } = await readAt(file, buffer, 0, length, offset);
  const bytes = buffer.subarray(0, bytesRead);
  const found: [start: number, end: number][] = [];
  eachLine(bytes, (stamp, lineRank, start, end) => {
    if (lineRank < rank || stamp < from || stamp >= to) return;
    if (accepts === undefined || accepts(bytes.toString('utf8', start, end))) found.push([start, end]);
  });
  if (isNewestFirst) found.reverse();
  for (const [start, end] of found) rows.take(bytes, start, end);
}

/** `2026-07-22 10:11:12.123 [INFO] name: message`. */
function fits(line: string, node: string, text: string): boolean {
  const name = line.indexOf('] ', 24) + 2;
  return (node === '' || line.startsWith(`${node}: `, name)) && line.includes(text);
}

/** The rows of one page, out of all that are wanted. */
class Rows {
  readonly lines: string[] = [];
  seen = 0;
  readonly #first: number;
  readonly #end: number;
  #bytes = 0;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#end = first + count;
  }

  /** Skips this many rows if none of them is on the page. */
  skip(count: number): boolean {
    if (this.seen + count > this.#first && this.seen < this.#end && count > 0) return false;
    this.seen += count;
    return true;
  }

  take(bytes: Buffer, start: number, end: number): void {
    const place = this.seen++;
    if (place < this.#first || place >= this.#end) return;
    const isCut = this.#bytes > pageBytes && end - start > beginning;
    this.lines.push(
      isCut ? `${bytes.toString('utf8', start, start + beginning)}…` : bytes.toString('utf8', start, end),
    );
    this.#bytes += isCut ? beginning : end - start;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Refusal(ErrorCode.INTERNAL, sentence`The log file ${path} cannot be opened.`, { cause });
  }
}
