import { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@tagway/sdk';
import { Gateway } from '../../src/core/gateway.ts';
import type { Plugin } from '../../src/core/model.ts';
import { LibraryFolder } from '../../src/library/folder.ts';
import { ProfileFolder } from '../../src/profiles/profile-folder.ts';
import { PluginCatalog } from '../../src/library/plugin-catalog.ts';
import { PairSide, type PairSideOptions } from '../../src/pair/pair-side.ts';
import { joinPair } from '../../src/pair/pair-folder.ts';
import type { PairLink, PairView } from '../../src/pair/ports.ts';
import { SealedStore, type SchemaOf } from '../../src/store/sealed-store.ts';
import { openSqliteStore, SnapshotFolder, type SqliteStore } from '../../src/store/store.ts';
import { plugins, portsIn, RecordingRuntime } from '../core/harness.ts';

/** The line to an agent, which a test is. */
export class TestLink extends EventEmitter implements PairLink {
  readonly view: PairView | undefined = undefined;
  readonly deadlineFile = '';
  readonly said: string[] = [];

  ready(url: string): void {
    this.said.push(`ready ${url}`);
  }

  active(): void {
    this.said.push('active');
  }

  runner(): void {}

  gone(): void {}

  handOver(reason: string): void {
    this.said.push(`hand-over ${reason}`);
  }
}

export interface GatewayOptions {
  readonly pair: PairSideOptions['pair'];
  readonly name: string;
  /** Its data folder. */
  readonly folder: string;
  readonly secretsKey?: Buffer;
  /** Takes signed libraries only. */
  readonly isSigned?: boolean;
  readonly isSafe?: boolean;
}

/** A whole gateway of a pair but for its API and its runners. */
export class GatewayOfPair implements AsyncDisposable {
  readonly link = new TestLink();
  readonly said: string[] = [];
  readonly gateway: Gateway;
  readonly side: PairSide;
  readonly store: SqliteStore;
  readonly catalog: PluginCatalog;
  runtime!: RecordingRuntime;
  readonly #folder: SnapshotFolder;
  readonly #sealed: SealedStore;
  readonly #url: string;
  #isClosed = false;

  private constructor(options: GatewayOptions, catalog: PluginCatalog) {
    const { folder, name, isSafe = false, secretsKey = Buffer.alloc(32, 7), ...where } = options;
    this.catalog = catalog;
    this.#url = `http://${name}:7000`;
    this.store = openSqliteStore(join(folder, 'tagway.sqlite'));
    const say = (text: string): void => void this.said.push(text);
    const ignore = (): void => undefined;
    const log: Log = { debug: ignore, info: ignore, notice: ignore, warn: say, error: say };
    const signatures = { folder: join(folder, 'trusted'), isRequired: options.isSigned ?? false };
    const profiles = new ProfileFolder({
      path: join(folder, 'profiles'),
      system: join(folder, 'profiles of the gateway'),
      signatures,
      log,
    });
    const libraries = new LibraryFolder({
      path: join(folder, 'libraries'),
      signatures,
      probe: async () => undefined,
    });
    this.side = new PairSide({
      ...where,
      name,
      isSafe,
      secretsKey,
      libraries,
      profiles,
      log,
      version: '1.0.0',
      joined: () => joinPair(folder, where.pair.id),
      store: this.store,
      plugins: catalog,
      link: this.link,
    });
    const schemaOf: SchemaOf = (_key, { plugin = '' }) => catalog.byId(plugin)?.settingsSchema;
    this.#sealed = new SealedStore(this.side.store, secretsKey, schemaOf);
    this.#folder = new SnapshotFolder({
      path: join(folder, 'snapshots'),
      copy: (file) => this.store.copyTo(file),
      open: (file) => openSqliteStore(file),
    });
    this.gateway = new Gateway({
      ...portsIn(folder, this.#sealed),
      snapshots: this.#folder,
      plugins: catalog,
      libraries: this.side.libraries,
      log,
      runtime: (events) => (this.runtime = new RecordingRuntime(events)),
    });
  }

  /** Starts it as the standby that every gateway of a pair is at first. */
  static async start(options: GatewayOptions, known: readonly Plugin[] = plugins): Promise<GatewayOfPair> {
    await mkdir(options.folder, { recursive: true });
    const made = new GatewayOfPair(options, new PluginCatalog(known));
    const follower = await made.gateway.follow();
    await made.side.start(made.#url, {
      gateway: made.gateway,
      follower,
      snapshots: made.#folder,
      promoted: async () => undefined,
      othersChanged: () => undefined,
      opened: (entries) => made.#sealed.opened(entries),
    });
    return made;
  }

  get isReady(): boolean {
    return this.link.said.includes(`ready ${this.#url}`);
  }

  get isActive(): boolean {
    return this.link.said.includes('active');
  }

  snapshots(): Promise<readonly { readonly id: string }[]> {
    return this.#folder.list();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.side.close();
    await this.store.close();
  }
}
