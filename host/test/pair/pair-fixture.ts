import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Store, StoreChanges } from '../../src/core/ports/ports.ts';
import { ConfigLog } from '../../src/pair/config/config-log.ts';
import { Etcd } from '../../src/pair/etcd/etcd.ts';
import { Follow } from '../../src/pair/config/follow.ts';
import { LocalCopy } from '../../src/pair/config/local-copy.ts';
import { PairStore } from '../../src/pair/config/pair-store.ts';
import { openSqliteStore, type SqliteStore } from '../../src/store/store.ts';

let pairs = 0;

/** One pair on an etcd that is shared with others, and the folders of its gateways. */
export class PairFixture implements AsyncDisposable {
  readonly id = `plant${process.pid}x${pairs++}`;
  readonly etcd: Etcd;
  readonly folder: string;
  readonly sides: Side[] = [];

  private constructor(etcd: Etcd, folder: string) {
    this.etcd = etcd;
    this.folder = folder;
  }

  static async open(endpoints: readonly string[]): Promise<PairFixture> {
    const etcd = new Etcd({ endpoints, timeout: 1000 });
    return new PairFixture(etcd, await mkdtemp(join(tmpdir(), 'tagway-pair-')));
  }

  /** Gives the lease to somebody, whatever he is called; what had it before has lost it. Resolves with the fence. */
  async grant(name: string): Promise<string> {
    const key = `/tagway/${this.id}/holder`;
    await this.etcd.txn({ compare: [], success: [{ delete: key }] });
    await this.etcd.txn({ compare: [], success: [{ put: key, value: name }] });
    const fence = (await this.etcd.get(key))?.createRevision;
    if (fence === undefined) throw new Error('The lease was not granted.');
    return fence;
  }

  /** What the configuration part of a gateway is made of, on the folder of this name. */
  side(name: string, options: SideOptions = {}): Side {
    const side = new Side(this, name, options);
    this.sides.push(side);
    return side;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const side of this.sides) await side.close();
    this.etcd.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface SideOptions {
  readonly mark?: string;
  readonly wrap?: (sqlite: SqliteStore) => Store;
}

/** The store of one gateway of a pair, and what it would show. */
export class Side {
  readonly sqlite: SqliteStore;
  readonly local: LocalCopy;
  readonly log: ConfigLog;
  readonly store: PairStore;
  readonly follow: Follow;
  readonly said: string[] = [];
  readonly shown = new Map<string, unknown>();
  readonly libraries: string[] = [];
  kept = 0;
  isCaughtUp = false;
  /** When what it shows changed last, as `performance.now()` tells it. */
  shownAt = 0;
  #isClosed = false;

  constructor(
    fixture: PairFixture,
    name: string,
    { mark = 'the key', wrap = (store) => store }: SideOptions,
  ) {
    this.sqlite = openSqliteStore(join(fixture.folder, `${name}.sqlite`));
    const report = (sentence: string): void => void this.said.push(sentence);
    this.local = new LocalCopy(wrap(this.sqlite), report);
    this.log = new ConfigLog(fixture.etcd, fixture.id);
    const common = { log: this.log, local: this.local, secretsMark: mark, report };
    this.store = new PairStore({
      ...common,
      whoIsActive: () => 'The other is active.',
      packages: [],
    });
    this.follow = new Follow({
      ...common,
      packages: async ({ set }) => void this.libraries.push(...set.map(([key]) => key)),
      show: async (changes) => this.#show(changes),
      keep: async () => {
        this.kept++;
      },
      caughtUp: () => (this.isCaughtUp = true),
      mayBegin: () => true,
    });
  }

  /** Starts to follow, as a gateway does at its start. */
  async begin(): Promise<this> {
    this.#show({ set: await this.store.load() });
    this.follow.start();
    return this;
  }

  /** Becomes the active one with this fence. */
  async promote(fence: string): Promise<void> {
    await this.store.open(fence, await this.follow.end());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.follow.close();
    await this.store.close();
    await this.sqlite.close();
  }

  /** As `Store.load`, of what is shown. */
  picture(): [string, unknown][] {
    return [...this.shown].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #show({ set = [], delete: deleted = [] }: StoreChanges): void {
    for (const key of deleted) this.shown.delete(key);
    for (const [key, record] of set) this.shown.set(key, record);
    this.shownAt = performance.now();
  }
}

/** Waits until something is so. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  ms = 15_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It took too long until ${what}.`);
    await delay(10);
  }
}
