import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { Snapshot, SnapshotReason, SnapshotStore, Store } from '../core/ports/ports.ts';
import { makeFolder } from '../core/system/make-folder.ts';
import { systemReason } from '../core/system/system-error.ts';
import { sqliteReason } from './sqlite-errors.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** Snapshots that are kept for each reason, the newest ones: frequent reasons must not push out rare ones. */
const mostOfReason = 10;
/** Bytes of all that are kept. The newest one stays, whatever its size. */
const mostBytes = 256 << 20;

const ending = '.sqlite';
const name = /^(\d{13,})-(import|tags|upgrade|restore|request|profile)$/;

export interface SnapshotFolderOptions {
  /** It is made when it is missing. */
  readonly path: string;
  /** Copies the store as it is at one moment into a file, which is there and empty. */
  readonly copy: (file: string) => Promise<void>;
  /** Opens such a copy, which is read as the store itself is. */
  readonly open: (file: string) => Pick<Store, 'load'> & { close(): Promise<void> };
}

/** Snapshots as databases in a folder, which only the gateway's own user may read. Their names say when and why they were made. */
export class SnapshotFolder implements SnapshotStore {
  readonly #options: SnapshotFolderOptions;

  constructor(options: SnapshotFolderOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly Snapshot[]> {
    const names = await readdir(this.#options.path).catch(() => []);
    const found = await Promise.all(names.map((file) => this.#snapshot(file)));
    return found.filter((one) => one !== undefined).sort((one, other) => other.time - one.time);
  }

  async make(reason: SnapshotReason): Promise<Snapshot> {
    const { path, copy } = this.#options;
    const part = join(path, 'part');
    try {
      await makeFolder(path, 0o700);
      // Of one that was interrupted.
      await rm(part, { force: true });
      await (await open(part, 'wx', 0o600)).close();
      await copy(part);
      const newest = (await this.list())[0]?.time ?? 0;
      const id = `${Math.max(Date.now(), newest + 1)}-${reason}`;
      await rename(part, this.#file(id));
      await this.#prune();
      const made = await this.#snapshot(`${id}${ending}`);
      if (made === undefined) throw new Error(`the file ${id} has vanished`);
      return made;
    } catch (cause) {
      await rm(part, { force: true }).catch(() => undefined);
      throw new Refusal(
        ErrorCode.INTERNAL,
        sentence`No snapshot of the configuration could be made, so nothing was changed: ${reasonOf(cause)}.`,
        { cause },
      );
    }
  }

  async read(id: string): Promise<[key: string, record: unknown][]> {
    if (!(await this.list()).some((one) => one.id === id))
      throw new Refusal(
        ErrorCode.FILE_NOT_FOUND,
        sentence`There is no snapshot "${id.slice(0, 100)}"; GET /api/v2/snapshots lists those that there are.`,
      );
    const store = this.#options.open(this.#file(id));
    try {
      return await store.load();
    } finally {
      await store.close();
    }
  }

  async #prune(): Promise<void> {
    const counts = new Map<SnapshotReason, number>();
    let bytes = 0;
    for (const { id, reason, size } of await this.list()) {
      const count = (counts.get(reason) ?? 0) + 1;
      counts.set(reason, count);
      bytes += size;
      if (count > mostOfReason || (bytes > mostBytes && bytes > size))
        await rm(this.#file(id), { force: true });
    }
  }

  /** Undefined for a file that is no snapshot. */
  async #snapshot(file: string): Promise<Snapshot | undefined> {
    if (!file.endsWith(ending)) return undefined;
    const id = file.slice(0, -ending.length);
    const [, time, reason] = name.exec(id) ?? [];
    const found = await stat(join(this.#options.path, file)).catch(() => undefined);
    if (time === undefined || !found?.isFile()) return undefined;
    return { id, time: Number(time), reason: reason as SnapshotReason, size: found.size };
  }

  #file(id: string): string {
    return join(this.#options.path, `${id}${ending}`);
  }
}

/** Why it failed, without a full stop. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'syscall' in cause ? systemReason(cause) : sqliteReason(cause);
}
