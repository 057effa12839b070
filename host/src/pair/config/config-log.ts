import type { Etcd } from '../etcd/etcd.ts';
import { prefixEnd } from '../etcd/etcd.ts';
import { retry } from '../etcd/retry.ts';
import { LeaseLost } from '../ports.ts';
import { type Changes, packed, unpacked } from './packed-changes.ts';
import { type Fence, partSize, type Stage, Stages } from './stages.ts';

/** The number of the latest change. Numbers count within one generation: each new log gets another one. */
export interface Head {
  readonly n: number;
  readonly generation: string;
}

/** One change of the configuration. */
export interface LogEntry {
  readonly n: number;
  readonly changes: Changes;
}

/** A snapshot holds what the changes up to `n` made. */
interface SnapshotPointer extends Head, Stage {}

/** Entries that one request reads, each of which may have `partSize` bytes. */
const pageSize = 10;

/**
 * The configuration in etcd: an ordered log of changes, and snapshots so that it does not grow without end. One transaction appends an
 * entry and moves the head. Its conditions are the create revision of the lease's key, so that a gateway that lost the lease appends
 * nothing, and the head that the writer knows.
 *
 * Why a log, and not records that are staged and then flipped: etcd takes 128 operations and 1.5 MB a transaction. The median with three
 * members of 3.4.23 on one busy machine of two cores, without waiting for their disks:
 *
 * | change      | log                                    | a key for each record, staged and flipped    |
 * | ----------- | -------------------------------------- | -------------------------------------------- |
 * | one tag     | one transaction of 0.14 kB: 1.6 ms     | the same                                     |
 * | 10 000 tags | one transaction of 90 kB: 25 ms        | 80 transactions of 126 records: 850 ms       |
 *
 * And a gateway that follows reads one key for each change instead of comparing all. An entry of more than 1 MB is staged in parts, and the
 * log gets a pointer to them.
 */
export class ConfigLog {
  readonly stages: Stages;
  readonly #etcd: Etcd;
  readonly #quick: Etcd;
  readonly #prefix: string;

  /**
   * `quick`: the same etcd with a shorter timeout, to ask for the head. A request that is sent while etcd has no leader is never answered;
   * the next one is, as soon as there is a leader.
   */
  constructor(etcd: Etcd, pairId: string, quick = etcd) {
    this.#etcd = etcd;
    this.#quick = quick;
    this.#prefix = `/tagway/${pairId}/`;
    this.stages = new Stages(etcd, `${this.#prefix}stage/`);
  }

  /** The condition that a holder still has the lease. */
  fenceOf(fence: string): Fence {
    return { key: this.#key('holder'), createRevision: fence };
  }

  /** Undefined while there is no log. Linearizable. */
  async head(): Promise<Head | undefined> {
    return parsed(await this.#quick.get(this.#key('head')));
  }

  /** See `PairStoreOptions`; undefined while there is no log. */
  async secretsMark(): Promise<string | undefined> {
    return (await this.#quick.get(this.#key('secrets')))?.value.toString();
  }

  /** Begins a log with these records. Rejects with `LeaseLost`, also when there is a log already. */
  async begin(fence: string, head: Head, records: Changes, secretsMark: string): Promise<void> {
    const holder = this.fenceOf(fence);
    const staged = await this.stages.put(holder, `snapshot-${head.n}`, await packed(records));
    const { succeeded } = await this.#etcd.txn({
      compare: [holder, { key: this.#key('head'), createRevision: '0' }],
      success: [
        { put: this.#key('snapshot'), value: JSON.stringify({ ...head, ...staged }) },
        { put: this.#key('secrets'), value: secretsMark },
        { put: this.#key('head'), value: JSON.stringify(head) },
      ],
    });
    if (!succeeded) throw new LeaseLost();
  }

  /**
   * Appends a change after `head`. When an answer is lost, the log is read to see what happened. Rejects with `LeaseLost` or `Refused` when
   * nothing was appended, and with `Unreachable` when that is unknown: this writer has to read the log again before it may append more.
   */
  async append(fence: string, head: Head, changes: Changes): Promise<Head> {
    const next = { ...head, n: head.n + 1 };
    const holder = this.fenceOf(fence);
    const bytes = await packed(changes);
    const value =
      bytes.length <= partSize
        ? bytes
        : Buffer.from(JSON.stringify(await this.stages.put(holder, `log-${next.n}`, bytes)));
    const transaction = {
      compare: [holder, { key: this.#key('head'), value: JSON.stringify(head) }],
      success: [
        { put: this.#key('head'), value: JSON.stringify(next) },
        { put: this.#logKey(next.n), value },
      ],
      failure: [{ range: { key: this.#logKey(next.n) } }],
    };
    const { succeeded, ranges } = await retry(() => this.#etcd.txn(transaction));
    // An attempt before the last one may have succeeded: no other entry has these bytes.
    if (!succeeded && ranges[0]?.kvs[0]?.value.equals(value) !== true) throw new LeaseLost();
    return next;
  }

  /** The changes after number `after`, up to `pageSize` of them; undefined when the first of them is not kept any more. */
  async read(after: number): Promise<LogEntry[] | undefined> {
    const end = prefixEnd(this.#key('log/'));
    const { kvs } = await this.#etcd.range({ key: this.#logKey(after + 1), end, limit: pageSize });
    const entries: LogEntry[] = [];
    for (const { key, value } of kvs) {
      const n = Number(key.toString().slice(this.#key('log/').length));
      if (n !== after + 1 + entries.length) return entries.length > 0 ? entries : undefined;
      const bytes =
        value[0] === gzipMark ? value : await this.stages.read(JSON.parse(value.toString()) as Stage);
      if (bytes === undefined) return entries.length > 0 ? entries : undefined;
      entries.push({ n, changes: await unpacked(bytes) });
    }
    return entries.length > 0 ? entries : undefined;
  }

  /** The newest snapshot; undefined when there is none, or it was replaced while it was read. */
  async snapshot(): Promise<(Head & { readonly records: Changes }) | undefined> {
    const pointer = parsed<SnapshotPointer>(await this.#etcd.get(this.#key('snapshot')));
    const bytes = pointer && (await this.stages.read(pointer));
    if (pointer === undefined || bytes === undefined) return undefined;
    return { n: pointer.n, generation: pointer.generation, records: await unpacked(bytes) };
  }

  /**
   * Replaces the snapshot by that of all changes up to `head`, and deletes the log entries that the old snapshot contained, so that a
   * gateway that is a little behind still finds the changes one by one. `packages` are stages that are still needed. Rejects with
   * `LeaseLost`.
   */
  async compact(fence: string, head: Head, records: Changes, packages: ReadonlySet<string>): Promise<void> {
    const holder = this.fenceOf(fence);
    const before = parsed<SnapshotPointer>(await this.#etcd.get(this.#key('snapshot')))?.n ?? 0;
    const staged = await this.stages.put(holder, `snapshot-${head.n}`, await packed(records));
    const { succeeded, revision } = await this.#etcd.txn({
      compare: [holder],
      success: [
        { put: this.#key('snapshot'), value: JSON.stringify({ ...head, ...staged }) },
        { delete: this.#key('log/'), end: this.#logKey(before + 1) },
      ],
    });
    if (!succeeded) throw new LeaseLost();
    await this.stages.sweep(holder, (stage) => {
      const [kind, n] = stage.split('-');
      return stage === staged.stage || packages.has(stage) || (kind === 'log' && Number(n) > before);
    });
    // Gateways do not need etcd's history. Another gateway may have compacted it already.
    await this.#etcd.compact(revision).catch(() => undefined);
  }

  #key(name: string): string {
    return this.#prefix + name;
  }

  #logKey(n: number): string {
    return this.#key(`log/${String(n).padStart(16, '0')}`);
  }
}

/** The first byte of gzip; JSON begins with another one. */
const gzipMark = 0x1f;

function parsed<T = Head>(kv: { readonly value: Buffer } | undefined): T | undefined {
  return kv && (JSON.parse(kv.value.toString()) as T);
}
