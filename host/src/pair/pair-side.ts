import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@tagway/sdk';
import type { Follower } from '../core/records/follower.ts';
import type { Gateway } from '../core/gateway.ts';
import type { Pair } from '../core/ports/pair.ts';
import type { Libraries, Plugins, SnapshotStore, Store, StoreChanges } from '../core/ports/ports.ts';
import type { PackableProfiles } from '../core/ports/profiles.ts';
import { ConfigLog } from './config/config-log.ts';
import type { Etcd } from './etcd/etcd.ts';
import { type EtcdFiles, etcdOf } from './etcd/etcd-files.ts';
import { Follow } from './config/follow.ts';
import { LocalCopy } from './config/local-copy.ts';
import { Members } from './members.ts';
import type { Entry } from './config/packed-changes.ts';
import { PairState } from './pair-status.ts';
import { PairStore } from './config/pair-store.ts';
import { LeaseLost, type PairLink } from './ports.ts';
import { SharedLibraries } from './config/shared-libraries.ts';
import { SharedProfiles } from './config/shared-profiles.ts';

/** Milliseconds. */
const times = {
  /** For one request to etcd about the configuration, which may carry a megabyte. */
  request: 2000,
  /** For one request for the head of the log. */
  look: 500,
  /** For removing the registration at the end, which otherwise ends by itself. */
  goodbye: 500,
  /** Between two attempts to install a library that could not be installed. */
  install: 10_000,
  /** For the other gateway to show itself before this one begins anew with what it has. */
  alone: 10_000,
  /** Between two attempts to take over what the log still holds, while etcd does not answer. */
  retry: 100,
} as const;

export interface PairSideOptions {
  readonly pair: EtcdFiles & { readonly id: string };
  /** Of this gateway. */
  readonly name: string;
  readonly version: string;
  /** With which the secrets of both gateways are sealed. */
  readonly secretsKey: Buffer;
  /** The gateway's own. */
  readonly store: Store;
  readonly libraries: Libraries;
  readonly profiles: PackableProfiles;
  readonly plugins: Plugins;
  readonly link: PairLink;
  /** It only follows, and never becomes the active one. */
  readonly isSafe: boolean;
  /** Called when this gateway has the configuration of the pair. */
  readonly joined: () => void;
  readonly log: Log;
}

/** What the pair needs of an assembled gateway. */
export interface PairedGateway {
  readonly gateway: Gateway;
  readonly follower: Follower;
  readonly snapshots: SnapshotStore;
  /** Records as they are stored, with their secrets in clear. */
  readonly opened: (entries: readonly Entry[]) => readonly Entry[];
  /** Called when another gateway of the pair has come, has gone, or has another address. */
  readonly othersChanged: () => void;
  /** Called when this gateway has become the active one and has started its nodes. */
  readonly promoted: () => Promise<void>;
}

/** One gateway of a pair: it starts as a standby, which follows the configuration, until its agent has the lease. */
export class PairSide {
  readonly store: PairStore;
  readonly libraries: SharedLibraries;
  readonly profiles: SharedProfiles;
  readonly pair: Pair;
  readonly #options: PairSideOptions;
  readonly #etcd: Etcd;
  readonly #quick: Etcd;
  readonly #log: ConfigLog;
  readonly #local: LocalCopy;
  readonly #members: Members;
  readonly #state: PairState;
  readonly #secretsMark: string;
  #follow: Follow | undefined;
  #paired: PairedGateway | undefined;
  #url = '';
  #isReady = false;
  #installing: NodeJS.Timeout | undefined;
  /** Since when etcd has no configuration of the pair, though this gateway has had it. */
  #lostSince: number | undefined;
  #isClosed = false;
  #promotion: Promise<void> = Promise.resolve();

  constructor(options: PairSideOptions) {
    const { pair, name, version, secretsKey, store, link, log } = options;
    const pairId = pair.id;
    const { libraries: folder, plugins } = options;
    this.#options = options;
    this.#etcd = etcdOf(pair, times.request);
    this.#quick = etcdOf(pair, times.look);
    this.#log = new ConfigLog(this.#etcd, pairId, this.#quick);
    const report = (sentence: string): void => log.warn(sentence);
    this.#local = new LocalCopy(store, report);
    this.#secretsMark = createHmac('sha256', secretsKey).update(`tagway pair ${pairId}`).digest('hex');
    const shared = { log: this.#log, local: this.#local, report };
    const sharing = {
      report,
      log: this.#log,
      fence: () => this.store.fence,
      store: { commit: (changes: StoreChanges) => this.store.commit(changes) },
    };
    this.libraries = new SharedLibraries({ folder, plugins, ...sharing });
    this.profiles = new SharedProfiles({ folder: options.profiles, ...sharing });
    this.store = new PairStore({
      ...shared,
      secretsMark: this.#secretsMark,
      packages: [this.libraries, this.profiles],
      whoIsActive: () => {
        const { holder } = this.#state.status();
        return holder === undefined || holder.name === name
          ? 'Ask again in a few seconds.'
          : `"${holder.name}" at ${holder.url} is.`;
      },
    });
    this.#members = new Members({
      etcd: this.#etcd,
      pairId,
      log,
      changed: () => this.#paired?.othersChanged(),
      own: () => ({
        name,
        url: this.#url,
        ready: this.#isReady && !this.#local.isBehind,
        version,
        applied: this.#local.stored?.n ?? 0,
      }),
    });
    this.pair = this.#state = new PairState({
      id: pairId,
      members: this.#members,
      lag: () => this.#follow?.lag,
      haltDrivers: (within) => this.#paired?.gateway.haltDrivers(within) ?? Promise.resolve(),
      giveLease: (reason) => link.handOver(reason),
      log,
    });
  }

  /** Follows the pair from here on; called when the API answers at this address and everything is loaded. */
  async start(url: string, paired: PairedGateway): Promise<void> {
    const { link, log } = this.#options;
    this.#url = url;
    this.#paired = paired;
    const { gateway, follower, snapshots, opened } = paired;
    const own = await this.#local.load();
    this.libraries.load(own);
    this.profiles.load(own);
    follower.warm();
    this.#follow = new Follow({
      log: this.#log,
      local: this.#local,
      secretsMark: this.#secretsMark,
      report: (sentence) => log.warn(sentence),
      packages: async (changes) => {
        await this.libraries.apply(changes, follower);
        await this.profiles.apply(changes);
      },
      show: ({ set = [], ...rest }) => follower.apply({ ...rest, set: opened([...set]) }),
      keep: async () => {
        await snapshots.make('restore');
      },
      mayBegin: () => this.#mayBegin(),
      caughtUp: () => {
        if (this.#local.applied !== undefined) this.#joined();
        gateway.startAtStandby();
        void this.libraries.check(follower);
        void this.profiles.check();
        this.#installing = setInterval(() => {
          if (this.libraries.isIncomplete) void this.libraries.check(follower);
        }, times.install).unref();
        if (this.#options.isSafe || this.#isClosed) return;
        this.#isReady = true;
        link.ready(url);
      },
    });
    link.on('view', (view) => this.#state.see(view));
    link.on('promote', (fence) => {
      this.#promotion = this.#promote(fence);
    });
    link.on('demote', (reason) => this.#state.demoted(reason));
    if (link.view !== undefined) this.#state.see(link.view);
    this.#follow.start();
    // Not awaited: etcd may not answer yet.
    void this.#members.start();
  }

  /** To be called after the gateway was closed, so that nothing changes any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#installing);
    await this.#follow?.close();
    await this.#promotion;
    await this.store.close();
    // While etcd is away, its timeouts would hold up the next start.
    await Promise.race([this.#members.close(), delay(times.goodbye)]);
    this.#etcd.close();
    this.#quick.close();
  }

  async #promote(fence: string): Promise<void> {
    const { link, log } = this.#options;
    for (let isReported = false; !this.#isClosed;) {
      try {
        const head = await this.#follow?.end();
        if (head === undefined && !this.#mayBegin()) {
          link.handOver(
            'etcd has lost the configuration of the pair, and the other gateway has a newer one.',
          );
          return;
        }
        await this.store.open(fence, head);
        break;
      } catch (error) {
        // The agent restarts this gateway.
        if (error instanceof LeaseLost) return;
        if (!isReported)
          log.warn(
            `This gateway has the lease and cannot poll yet, because it cannot read the configuration of the pair: ${String(error)}`,
          );
        isReported = true;
        await delay(times.retry);
      }
    }
    if (this.#isClosed) return;
    this.#joined();
    await this.#paired?.gateway.promote();
    this.#state.promoted();
    link.active();
    await this.#paired?.promoted();
  }

  /**
   * Whether this gateway may begin a log with what it has. When etcd has lost the one of the pair, the gateway with the newest copy does;
   * one that sees no other waits for a while.
   */
  #mayBegin(): boolean {
    const { applied } = this.#local;
    if (applied === undefined) return true;
    const now = performance.now();
    if (this.#lostSince === undefined)
      this.#options.log.warn(
        `etcd has no configuration of the pair any more; this gateway has it up to change ${applied.n}. The gateway with the newest one brings it back.`,
      );
    this.#lostSince ??= now;
    const { others } = this.#members;
    if (others.length === 0) return now - this.#lostSince > times.alone;
    return others.every((other) => other.applied <= applied.n);
  }

  /** A disk that refuses it is tried again at the next start. */
  #joined(): void {
    try {
      this.#options.joined();
    } catch (error) {
      this.#options.log.warn(`The data folder cannot keep the name of its pair: ${String(error)}`);
    }
  }
}
