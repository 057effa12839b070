import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface LogFileLimits {
  /** Bytes after which a new file is begun. */
  readonly size: number;
  /** Files that are kept, with the one that is written. */
  readonly count: number;
}

export const logFileLimits: LogFileLimits = { size: 10_000_000, count: 10 };

/** Names of the log files, newest first: `tagway.log`, `tagway.1.log`, … Not all of them need exist. */
export function logFileNames(count = logFileLimits.count): string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 'tagway.log' : `tagway.${i}.log`));
}

/**
 * Appends lines to the newest log file and begins a new one when it is full. Writing is synchronous: what was logged before a
 * crash is in the file. A disk that is full costs the lines, not the gateway.
 */
export class LogFile {
  readonly #paths: readonly string[];
  readonly #limits: LogFileLimits;
  #file: number | undefined;
  #size = 0;
  #lost = 0;

  constructor(folder: string, limits = logFileLimits) {
    mkdirSync(folder, { recursive: true });
    this.#paths = logFileNames(limits.count).map((name) => join(folder, name));
    this.#limits = limits;
    this.#open();
  }

  /** `line` is without its end. */
  write(line: string): void {
    try {
      if (this.#size >= this.#limits.size) this.#rotate();
      const note =
        this.#lost === 0
          ? ''
          : `${line.slice(0, 23)} [ERROR] gateway: ${this.#lost} lines of the log could not be written.\n`;
      this.#append(`${note}${line}\n`);
      this.#lost = 0;
    } catch {
      this.#lost++;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #append(text: string): void {
    if (this.#file === undefined) return;
    const bytes = Buffer.from(text);
    this.#size += writeSync(this.#file, bytes);
  }

  #open(): void {
    this.#file = openSync(this.#paths[0] ?? '', 'a+');
    this.#size = fstatSync(this.#file).size;
    // A line that a crash cut off must not be continued by the next one.
    const last = Buffer.alloc(1, '\n');
    if (this.#size > 0) readSync(this.#file, last, 0, 1, this.#size - 1);
    if (last.toString() !== '\n') this.#append('\n');
  }

  #rotate(): void {
    this.close();
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
