import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from '@tagway/sdk/spool';
import type { SpoolOptions, SpoolRecord } from '@tagway/sdk/spool';

export type Bounds = Partial<Pick<SpoolOptions, 'memory' | 'disk' | 'flushInterval' | 'folder'>>;

/** A folder, the spools that were opened on it one after the other, and what they said. */
export class Place implements AsyncDisposable {
  readonly folder: string;
  readonly root: string;
  lost = 0;
  readonly reasons: string[] = [];
  readonly troubles: string[] = [];
  #ready: (() => void)[] = [];
  #spools: Spool[] = [];

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, 'spool');
  }

  static async make(): Promise<Place> {
    return new Place(await mkdtemp(join(tmpdir(), 'tagway-spool-')));
  }

  /** Opens a spool; by default one that writes only when it is crowded or closed. */
  async open(bounds: Bounds = {}): Promise<Spool> {
    const spool = await Spool.open({
      folder: this.folder,
      memory: 1_000_000,
      disk: 10_000_000,
      flushInterval: 3_600_000,
      ...bounds,
      onReady: () => {
        for (const ready of this.#ready.splice(0)) ready();
      },
      onLost: (records, reason) => {
        this.lost += records;
        this.reasons.push(reason);
      },
      onError: (sentence) => void this.troubles.push(sentence),
    });
    this.#spools.push(spool);
    return spool;
  }

  /** The next record of the backlog, waiting for the disk when it must. */
  async next(spool: Spool): Promise<SpoolRecord | undefined> {
    for (;;) {
      const ready = new Promise<void>((resolve) => this.#ready.push(resolve));
      const record = spool.takeBacklog();
      if (record !== undefined || spool.backlog === 0) return record;
      await ready;
    }
  }

  /** Takes and confirms records of the backlog until there are none, or so many; returns their keys. */
  async drain(spool: Spool, most = Infinity): Promise<string[]> {
    const keys: string[] = [];
    while (keys.length < most) {
      const record = await this.next(spool);
      if (record === undefined) break;
      spool.acknowledge(record);
      keys.push(record.key);
    }
    return keys;
  }

  async files(): Promise<string[]> {
    return (await readdir(this.folder).catch(() => [])).filter((name) => name.endsWith('.spool')).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const spool of this.#spools) await spool.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

export function keys(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/** Pushes a record of so many bytes for each key. */
export function push(spool: Spool, names: readonly string[], size = 872): void {
  for (const key of names) spool.push(key, Buffer.alloc(size, key));
}

/** Pushes as `push` does, but waits whenever the spool asks for it. */
export async function pushPatiently(spool: Spool, names: readonly string[], size = 872): Promise<void> {
  for (const key of names) {
    await spool.drained;
    spool.push(key, Buffer.alloc(size, key));
  }
}
