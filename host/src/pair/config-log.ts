import type { Etcd } from './etcd.ts';
import { prefixEnd } from './etcd.ts';
import { insistently } from './insistently.ts';
import { LeaseLost } from './lease-lost.ts';
import { type Changes, packed, unpacked } from './packed-changes.ts';
import { type Fence, partSize, type Stage, Stages } from './stages.ts';

/** The place of the latest change. Numbers are of one generation: whoever begins a log anew gives it another one. */
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

/** Entries that are read in one go, any of which may have `partSize` bytes. */
const pageSize = 10;

/**
 * The configuration in etcd: an ordered log of changes, and snapshots so that it does not grow without end. One transaction appends an
 * entry and moves the head; it is compared with the create revision of the lease's key, so that who lost the lease appends nothing, and
 * with the head that the writer knows.
 *
 * Why a log, and not records that are staged and then flipped: etcd takes 128 operations and 1.5 MB a transaction. The median with three
 * members of 3.4.23 on one busy machine of two cores, without waiting for their disks:
 *
 * | change      | log                                    | a key for each record, staged and flipped    |
 * | ----------- | -------------------------------------- | -------------------------------------------- |
 * | one tag     | one transaction of 0.14 kB: 1.6 ms     | the same                                     |
 * | 10 000 tags | one transaction of 90 kB: 25 ms        | 80 transactions of 126 records: 850 ms       |
 *
 * And whoever follows reads one key for each change instead of comparing all. An entry of more than 1 MB is staged in parts, and what is
 * appended points to them.
 */
export class ConfigLog {
  readonly stages: Stages;
  readonly #etcd: Etcd;
  readonly #quick: Etcd;
  readonly #prefix: string;

  /**
   * `quick`: the same with less patience, for the question which change is the latest. What was asked while etcd had no leader is never
   * answered, and the next one is as soon as there is one.
   */
  constructor(etcd: Etcd, pairId: string, quick = etcd) {
    this.#etcd = etcd;
    this.#quick = quick;
    this.#prefix = `/tagway/${pairId}/`;
    this.stages = new Stages(etcd, `${this.#prefix}stage/`);
  }

  /** What is true while a holder of the lease still has it. */
  fenceOf(fence: string): Fence {
    return { key: this.#key('holder'), createRevision: fence };
  }

  /** Undefined before somebody has begun the log. Linearizable. */
  async head(): Promise<Head | undefined> {
    return parsed(await this.#quick.get(this.#key('head')));
  }

  /** What tells whether a gateway has the key with which secrets are sealed; undefined before the log is begun. */
  async secretsMark(): Promise<string | undefined> {
    return (await this.#etcd.get(this.#key('secrets')))?.value.toString();
  }

  /** Begins a log with what is configured. Rejects with `LeaseLost`, also when there is one. */
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
   * Appends a change behind `head`. Where an answer is lost it is found out what happened. Rejects with `LeaseLost`, or `Refused`: nothing
   * was appended; with `Unreachable`: that is not known, and nothing may be appended by this writer until it has read the log again.
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
    const { succeeded, ranges } = await insistently(() => this.#etcd.txn(transaction));
    // What was tried before the last attempt may have been done: no other entry has these bytes.
    if (!succeeded && ranges[0]?.kvs[0]?.value.equals(value) !== true) throw new LeaseLost();
    return next;
  }

  /** The changes after number `after`, as many as come in one go; undefined when the first of them is not kept any more. */
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

  /** What the changes up to a number made, newest snapshot; undefined when there is none, or it was replaced while it was read. */
  async snapshot(): Promise<(Head & { readonly records: Changes }) | undefined> {
    const pointer = parsed<SnapshotPointer>(await this.#etcd.get(this.#key('snapshot')));
    const bytes = pointer && (await this.stages.read(pointer));
    if (pointer === undefined || bytes === undefined) return undefined;
    return { n: pointer.n, generation: pointer.generation, records: await unpacked(bytes) };
  }

  /**
   * Puts a snapshot of what the changes up to `head` made in the place of the one before, and deletes what that one held already, so that
   * who is a little behind still finds the changes one by one. `libraries` are stages that are still needed. Rejects with `LeaseLost`.
   */
  async compact(fence: string, head: Head, records: Changes, libraries: ReadonlySet<string>): Promise<void> {
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
      return stage === staged.stage || libraries.has(stage) || (kind === 'log' && Number(n) > before);
    });
    // What etcd keeps of the past is of no use to a gateway. Somebody else may have done it.
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
