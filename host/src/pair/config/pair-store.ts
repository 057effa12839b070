import { randomUUID } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { Lock } from '../../core/records/lock.ts';
import type { Store, StoreChanges } from '../../core/ports/ports.ts';
import type { ConfigLog, Head } from './config-log.ts';
import { Refused } from '../etcd/etcd.ts';
import type { LocalCopy } from './local-copy.ts';
import { type Changes, collected, type Entry } from './packed-changes.ts';
import { LeaseLost, Unreachable } from '../ports.ts';

/** A snapshot is made after this many changes, or records in them. */
const snapshotAfter = { changes: 500, records: 50_000 } as const;

/** Milliseconds after which a gateway that became active deletes what is not needed any more; starting its nodes is more urgent. */
const sweepAfter = 30_000;

export interface PairStoreOptions {
  readonly log: ConfigLog;
  readonly local: LocalCopy;
  /** A hash by which gateways compare the keys that seal their secrets; it reveals nothing of the key. */
  readonly secretsMark: string;
  /** Where the active gateway answers, in a sentence. */
  readonly whoIsActive: () => string;
  /** The libraries, and the device profiles. */
  readonly packages: readonly {
    /** Those of the archives that are needed. */
    readonly stages: ReadonlySet<string>;
    /** Records of what this gateway brings into a new pair. */
    shareOwn(fence: string): Promise<Entry[]>;
  }[];
  /** Says something to the operator. */
  readonly report: (sentence: string) => void;
}

/**
 * The store of a gateway of a pair. A change goes into the log in etcd first and then into the gateway's own store; it is made when the
 * majority of etcd's members has it. What the own disk refuses then is written as soon as possible, and no further change is accepted
 * before that.
 */
export class PairStore implements Store {
  readonly #options: PairStoreOptions;
  readonly #lock = new Lock();
  /** While this gateway is the active one. */
  #writer: { readonly fence: string; head: Head } | undefined;
  /** Why nothing more can be changed until the next start. */
  #broken: string | undefined;
  #since = { changes: 0, records: 0 };
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: PairStoreOptions) {
    this.#options = options;
  }

  /** The fence of the lease that is this gateway's. Throws STANDBY. */
  get fence(): string {
    if (this.#writer === undefined) throw this.#standby();
    return this.#writer.fence;
  }

  load(): Promise<[key: string, record: unknown][]> {
    return this.#options.local.load();
  }

  /** Rejects with STANDBY when another gateway has the lease, and with INTERNAL when the change was not made or it is unknown whether it was. */
  commit(changes: StoreChanges): Promise<void> {
    return this.#lock.run(async () => {
      const { log, local } = this.#options;
      const writer = this.#writer;
      if (this.#broken !== undefined) throw new Fault(ErrorCode.INTERNAL, this.#broken);
      if (writer === undefined) throw this.#standby();
      if (local.isBehind) await local.flush();
      if (local.isBehind) throw local.problem;
      const known = await collected(changes);
      try {
        writer.head = await log.append(writer.fence, writer.head, known);
      } catch (error) {
        throw this.#refusal(error);
      }
      await local.apply(writer.head, known);
      this.#count(known);
    });
  }

  /**
   * The lease is this gateway's: it goes on with the log after `head`, which it has applied, or begins one with what it has where there is
   * none.
   */
  async open(fence: string, head: Head | undefined): Promise<void> {
    const { log, local, secretsMark, packages } = this.#options;
    await this.#lock.run(async () => {
      if (head !== undefined) {
        this.#writer = { fence, head };
      } else {
        const first = { n: 0, generation: randomUUID() };
        const shared: Entry[][] = [];
        for (const one of packages) shared.push(await one.shareOwn(fence));
        const own = shared.flat();
        await log.begin(fence, first, { set: [...(await local.load()), ...own], delete: [] }, secretsMark);
        this.#writer = { fence, head: first };
        await local.apply(first, { set: own, delete: [] });
      }
    });
    this.#sweep = setTimeout(() => this.#compact(), sweepAfter).unref();
  }

  /** Waits for what is under way; nothing is changed any more. */
  async close(): Promise<void> {
    clearTimeout(this.#sweep);
    this.#broken = 'The change was not made: the gateway ends.';
    await this.#lock.run(() => Promise.resolve());
    this.#options.local.close();
  }

  #count({ set, delete: deleted }: Changes): void {
    this.#since.changes++;
    this.#since.records += set.length + deleted.length;
    if (this.#since.changes >= snapshotAfter.changes || this.#since.records >= snapshotAfter.records)
      this.#compact();
  }

  /** Runs after the changes that are under way; later changes wait for it. */
  #compact(): void {
    this.#since = { changes: 0, records: 0 };
    const work = async (): Promise<void> => {
      const { log, local, packages } = this.#options;
      const writer = this.#writer;
      if (writer === undefined || local.isBehind) return;
      const records = await local.load();
      await log.compact(
        writer.fence,
        writer.head,
        { set: records, delete: [] },
        new Set(packages.flatMap(({ stages }) => [...stages])),
      );
    };
    // The log only grows until the next time.
    this.#lock.run(work).catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#writer = undefined;
      else this.#options.report(`The log of the pair could not be shortened: ${textOf(error)}`);
    });
  }

  #standby(): Fault {
    return new Fault(
      ErrorCode.STANDBY,
      `The change was not made: this gateway is not the active one of its pair. ${this.#options.whoIsActive()}`,
    );
  }

  #refusal(error: unknown): unknown {
    if (error instanceof LeaseLost) {
      this.#writer = undefined;
      return this.#standby();
    }
    if (error instanceof Unreachable) {
      this.#broken =
        'Whether the last change was made is not known, because the majority of the members of etcd does not answer, and without that ' +
        `nothing more can be changed: ${error.message} The gateway finds out when it is started again.`;
      return new Fault(ErrorCode.INTERNAL, this.#broken, { cause: error });
    }
    if (error instanceof Refused)
      return new Fault(ErrorCode.INTERNAL, `The change was not made: ${error.message}`, { cause: error });
    return error;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
