import { Lock } from '../../core/records/lock.ts';
import type { ReplicationLag } from '../../core/ports/pair.ts';
import type { StoreChanges } from '../../core/ports/ports.ts';
import type { ConfigLog, Head } from './config-log.ts';
import type { LocalCopy } from './local-copy.ts';
import type { Changes } from './packed-changes.ts';

/** Milliseconds between the beginnings of two looks at the head of the log. */
const pollEvery = 200;

export interface FollowOptions {
  readonly log: ConfigLog;
  readonly local: LocalCopy;
  /** See `PairStoreOptions`. */
  readonly secretsMark: string;
  /** Installs and removes the libraries and device profiles of changes; called before the changes are applied. */
  readonly packages: (changes: Changes) => Promise<void>;
  /** Applies changes to the running gateway. */
  readonly show: (changes: StoreChanges) => Promise<void>;
  /** Asked while the pair has no log: whether this gateway may begin one. */
  readonly mayBegin: () => boolean;
  /** Makes a snapshot of the configuration that the gateway had before it joined the pair. */
  readonly keep: () => Promise<void>;
  /** Called once, when the configuration is that of the pair, or the pair has none yet. */
  readonly caughtUp: () => void;
  /** Says something to the operator. */
  readonly report: (sentence: string) => void;
}

/** Has a standby's configuration follow the log of the pair. */
export class Follow {
  readonly #options: FollowOptions;
  readonly #lock = new Lock();
  #timer: NodeJS.Timeout | undefined;
  #head: Head | undefined;
  /** `performance.now()` of the moment since which this gateway has been behind. */
  #behindSince: number | undefined;
  #isCaughtUp = false;
  #problem = '';
  #isMarkChecked = false;
  #isEnded = false;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** What is still to be applied and to be stored, which a full disk refuses; undefined while the log could not be read yet. */
  get lag(): ReplicationLag | undefined {
    if (!this.#isCaughtUp) return undefined;
    const { stored, behindSince = this.#behindSince } = this.#options.local;
    const entries = Math.max(0, (this.#head?.n ?? 0) - (stored?.n ?? 0));
    return { entries, ms: behindSince === undefined ? 0 : performance.now() - behindSince };
  }

  /** Looks for changes until it is ended. */
  start(): void {
    this.#timer = setTimeout(() => void this.#poll(), 0);
  }

  /**
   * Ends it after the last change of this moment; resolves with the head of the log, or undefined when the pair has none yet. Rejects when
   * the log cannot be read, and follows on.
   */
  async end(): Promise<Head | undefined> {
    const head = await this.#lock.run(async () => {
      await this.#catchUp();
      this.#isEnded = true;
      return this.#head;
    });
    clearTimeout(this.#timer);
    return head;
  }

  /** Ends it without further changes. */
  async close(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#lock.run(() => Promise.resolve());
  }

  async #poll(): Promise<void> {
    const begun = performance.now();
    try {
      await this.#lock.run(() => (this.#isEnded ? Promise.resolve() : this.#catchUp()));
      this.#problem = '';
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // Reported once, and not with every poll.
      if (problem !== this.#problem)
        this.#options.report(`The configuration of the pair cannot be followed: ${problem}`);
      this.#problem = problem;
    }
    const pause = Math.max(0, begun + pollEvery - performance.now());
    if (!this.#isEnded) this.#timer = setTimeout(() => void this.#poll(), pause);
  }

  async #catchUp(): Promise<void> {
    const { log, local } = this.#options;
    await this.#checkMark();
    for (;;) {
      this.#head = await log.head();
      if (this.#head === undefined || isSame(local.applied, this.#head)) break;
      this.#behindSince ??= performance.now();
      const { applied } = local;
      const isOfPair = applied?.generation === this.#head.generation && applied.n < this.#head.n;
      const entries = isOfPair ? await log.read(applied.n) : undefined;
      if (entries === undefined) await this.#takeOver();
      for (const { n, changes } of entries ?? [])
        await this.#apply({ n, generation: this.#head.generation }, changes);
    }
    this.#behindSince = undefined;
    if (this.#isCaughtUp || (this.#head === undefined && !this.#options.mayBegin())) return;
    this.#isCaughtUp = true;
    this.#options.caughtUp();
  }

  async #apply(head: Head, changes: Changes): Promise<void> {
    const { local, packages, show } = this.#options;
    await packages(changes);
    await local.apply(head, changes);
    await show(changes);
  }

  /** Takes over the snapshot: the log is of another generation, or does not have all changes since then any more. */
  async #takeOver(): Promise<void> {
    const { log, local, keep, show, packages, report } = this.#options;
    const snapshot = await log.snapshot();
    // It was replaced meanwhile: the next poll reads the head again, too.
    if (snapshot === undefined) throw new Error('its snapshot was replaced while it was read.');
    const { n, generation, records } = snapshot;
    const own = await local.load();
    const isOurs = local.applied?.generation === generation;
    if (!isOurs && own.length > 0) {
      await keep();
      report(
        'This gateway takes over the configuration of its pair. What it had before is the newest snapshot in GET /api/v2/snapshots.',
      );
    }
    const those = new Set(records.set.map(([key]) => key));
    const gone = own.map(([key]) => key).filter((key) => !those.has(key));
    const changes = { set: records.set, delete: gone };
    await packages(changes);
    await local.apply({ n, generation }, changes);
    // Ids of another generation belong to other objects: all that was shown goes before the new ones come.
    if (!isOurs) await show({ delete: own.map(([key]) => key) });
    await show(isOurs ? changes : { set: records.set });
  }

  /** Rejects when this gateway could not open the secrets of the other. */
  async #checkMark(): Promise<void> {
    if (this.#isMarkChecked) return;
    const mark = await this.#options.log.secretsMark();
    if (mark !== undefined && mark !== this.#options.secretsMark)
      throw new Error(
        'the key in the file of --secrets-key is not the one of the pair, so this gateway could not open its secrets and never takes the lease. ' +
          'Start it with the key of the other gateway.',
      );
    this.#isMarkChecked = mark !== undefined;
  }
}

function isSame(one: Head | undefined, other: Head): boolean {
  return one?.n === other.n && one.generation === other.generation;
}
