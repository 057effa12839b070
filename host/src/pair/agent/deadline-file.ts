import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder in memory, where a slow or full disk delays nothing. */
const memory = '/dev/shm';

/**
 * Until when devices may be sent anything: 8 bytes, nanoseconds of `process.hrtime.bigint()`, little-endian, which the runners of
 * drivers read before every send.
 */
export class DeadlineFile implements Disposable {
  readonly path: string;
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(8);

  /** Without a path a file is made, with a deadline that has passed. */
  constructor(path?: string) {
    if (path === undefined) sweep();
    this.path = path ?? join(mkdtempSync(join(folder(), `tagway-${process.pid}-`)), 'deadline');
    this.#descriptor = openSync(this.path, path === undefined ? 'wx' : 'r+', 0o600);
    if (path === undefined) this.shut();
  }

  set(time: bigint): void {
    this.#bytes.writeBigInt64LE(time);
    writeSync(this.#descriptor, this.#bytes, 0, 8, 0);
  }

  /** Nothing may be sent from now on. */
  shut(): void {
    this.set(0n);
  }

  /** Removes the file. Processes that have it open still read that nothing may be sent. */
  [Symbol.dispose](): void {
    this.shut();
    closeSync(this.#descriptor);
    rmSync(dirname(this.path), { recursive: true, force: true });
  }
}

function folder(): string {
  return statSync(memory, { throwIfNoEntry: false })?.isDirectory() === true ? memory : tmpdir();
}

/** Removes files of agents that were killed with their hosts. Processes that have such a file open can still read it. */
function sweep(): void {
  for (const name of readdirSync(folder())) {
    const [, pid] = /^tagway-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(folder(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process cannot be signalled, and is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
