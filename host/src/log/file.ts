import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDiskFull, systemReason } from '../core/system/system-error.ts';

export interface LogFileLimits {
  /** Bytes after which a new file is begun. */
  readonly size: number;
  /** Files that are kept, with the one that is written. */
  readonly count: number;
}

const logFileLimits: LogFileLimits = { size: 10_000_000, count: 10 };

/** Names of the log files, newest first: `tagway.log`, `tagway.1.log`, … Not all of them need exist. */
export function logFileNames(count = logFileLimits.count): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 'tagway.log' : `tagway.${i}.log`));
}

/**
 * Appends lines to the newest log file and begins a new one when it is full. Writing is synchronous: what was logged before a
 * crash is in the file. A disk that is full costs the lines, not the gateway, which says so once on its standard error.
 */
export class LogFile {
  readonly #folder: string;
  readonly #paths: readonly string[];
  readonly #limits: LogFileLimits;
  #file: number | undefined;
  #size = 0;
  /** The last line of the file has no end: a crash or a full disk cut it off. */
  #isCut = false;
  #lost = 0;
  #isClosed = false;

  /** Throws an error that names the folder when no file can be written there, for another reason than a full disk. */
  constructor(folder: string, limits = logFileLimits) {
    this.#folder = folder;
    this.#paths = logFileNames(limits.count).map((name) => join(folder, name));
    this.#limits = limits;
    try {
      this.#open();
    } catch (cause) {
      if (!isDiskFull(cause))
        throw new Error(`The log cannot be written in the folder ${folder}: ${systemReason(cause)}.`, {
          cause,
        });
    }
  }

  /** `line` is without its end. */
  write(line: string): void {
    if (this.#isClosed) return;
    try {
      if (this.#file === undefined) this.#open();
      if (this.#size >= this.#limits.size) this.#rotate();
      const note =
        this.#lost === 0
          ? ''
          : `${line.slice(0, 23)} [ERROR] gateway: ${this.#lost} lines of the log could not be written.\n`;
      this.#append(`${note}${line}\n`);
      this.#lost = 0;
    } catch (error) {
      if (this.#lost++ > 0) return;
      process.stderr.write(
        `The log cannot be written in the folder ${this.#folder}: ${systemReason(error)}. ` +
          'The gateway goes on without it; lines are lost until it can be written again.\n',
      );
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#closeFile();
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** A line that was cut off must not be continued by the next one. */
  #append(text: string): void {
    if (this.#file === undefined) return;
    const bytes = Buffer.from(this.#isCut ? `\n${text}` : text);
    const written = writeSync(this.#file, bytes);
    this.#size += written;
    if (written > 0) this.#isCut = written < bytes.length;
    if (written < bytes.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  }

  /** Writes nothing, so that a gateway starts on a disk without a free byte. */
  #open(): void {
    mkdirSync(this.#folder, { recursive: true });
    this.#file = openSync(this.#paths[0] ?? '', 'a+');
    this.#size = fstatSync(this.#file).size;
    const last = Buffer.alloc(1, '\n');
    if (this.#size > 0) readSync(this.#file, last, 0, 1, this.#size - 1);
    this.#isCut = last.toString() !== '\n';
  }

  #rotate(): void {
    this.#closeFile();
    try {
      for (let i = this.#paths.length - 2; i >= 0; i--)
        rename(this.#paths[i] ?? '', this.#paths[i + 1] ?? '');
    } finally {
      this.#open();
    }
  }
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw error;
  }
}
