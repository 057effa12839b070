import {
  type Bytes,
  type Compare,
  type Etcd,
  type KeyValue,
  type Operation,
  prefixEnd,
  Refused,
} from '../pair/etcd/etcd.ts';
import { decodeName, encodeName } from '../pair/etcd/names.ts';
import { Unreachable } from '../pair/ports.ts';
import {
  type Command,
  type LastEntry,
  type MemberEntry,
  type MemberEvent,
  type OwnerEntry,
  writer,
} from './member-events.ts';
import { times } from './times.ts';

/** What a gateway says of itself beside whether it is ready. */
export interface Description {
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly load: number;
  readonly url: string;
  readonly version: string;
}

/** The commands that are requests to etcd. */
export type EtcdCommand = Extract<Command, { op: 'join' | 'renew' | 'look' | 'register' | 'take' | 'give' }>;

type EtcdEvent = Extract<
  MemberEvent,
  { kind: 'joined' | 'renewed' | 'looked' | 'registered' | 'took' | 'gave' | 'failed' }
>;

export interface ClusterEtcdOptions {
  readonly etcd: Etcd;
  /** The cluster's name in etcd. */
  readonly id: string;
  readonly name: string;
  readonly describe: () => Description;
  /** etcd does not do what it is asked. */
  readonly refused: (error: Refused) => void;
}

/** Most keys of one answer. */
const pageSize = 250;

/** Carries out what a member decides in etcd, below `/tagway/ID/`. Every command resolves to what the member is to hear of it. */
export class ClusterEtcd {
  readonly #options: ClusterEtcdOptions;
  readonly #folder: string;
  /** The create revision of `gateway/NAME`, by which takes are bound to this membership. */
  #created = '0';
  /** Of the look before. */
  #revision: string | undefined;

  constructor(options: ClusterEtcdOptions) {
    this.#options = options;
    this.#folder = `/tagway/${options.id}/`;
  }

  async carryOut(command: EtcdCommand): Promise<EtcdEvent> {
    try {
      return await this.#ask(command);
    } catch (error) {
      if (error instanceof Refused) this.#options.refused(error);
      else if (!(error instanceof Unreachable)) throw error;
      return failureOf(command, error instanceof Refused);
    }
  }

  async #ask(command: EtcdCommand): Promise<EtcdEvent> {
    const { etcd } = this.#options;
    const sent = performance.now();
    switch (command.op) {
      case 'join':
        return this.#join(command);
      case 'renew': {
        const { lease } = command;
        return { kind: 'renewed', sent, lease, isKept: await etcd.keepAlive(lease) };
      }
      case 'look':
        return this.#look(command.isWhole);
      case 'register': {
        const { succeeded } = await etcd.txn({
          compare: [this.#membership()],
          success: [{ put: this.#ownKey, value: this.#valueOf(command), lease: command.lease }],
          isRepeatable: true,
        });
        return succeeded ? { kind: 'registered' } : { kind: 'failed', request: 'register' };
      }
      case 'take':
        return this.#take(command);
      case 'give':
        return this.#give(command);
    }
  }

  async #join(command: Extract<EtcdCommand, { op: 'join' }>): Promise<EtcdEvent> {
    const { etcd } = this.#options;
    const sent = performance.now();
    const lease = await etcd.grant(times.lease / 1000);
    try {
      const { succeeded, revision } = await etcd.txn({
        compare: [{ key: this.#ownKey, createRevision: '0' }],
        success: [{ put: this.#ownKey, value: this.#valueOf(command), lease }],
      });
      if (succeeded) {
        this.#created = revision;
        this.#revision = undefined;
        return { kind: 'joined', sent, lease, revision: Number(revision) };
      }
    } catch (error) {
      // The key may have been made, and nobody would renew it.
      await etcd.revoke(lease).catch(() => undefined);
      throw error;
    }
    await etcd.revoke(lease).catch(() => undefined);
    return { kind: 'failed', request: 'join' };
  }

  async #look(isWhole: boolean): Promise<EtcdEvent> {
    const { etcd } = this.#options;
    const since = isWhole ? undefined : this.#revision;
    const rangeOf = (name: string) => ({ key: this.#folder + name, end: prefixEnd(this.#folder + name) });
    // Of what may be large only its count is read here when everything is asked for.
    const news = since === undefined ? { limit: 1 } : { since };
    const answers = await etcd.read([
      rangeOf('gateway/'),
      { key: `${this.#folder}writer`, ...(since !== undefined && { since }) },
      { key: `${this.#folder}head` },
      ...['owner/', 'last/', 'want/'].map((name) => ({ ...rangeOf(name), ...news })),
    ]);
    const [gateways, writers, head, ...few] = answers;
    const at = gateways?.revision ?? '0';
    const [owners, last, wants] =
      since === undefined
        ? [await this.#all('owner/', at), await this.#all('last/', at), await this.#all('want/', at)]
        : few;
    const members = await this.#aged((gateways?.kvs ?? []).flatMap((kv) => this.#memberOf(kv) ?? []));
    this.#revision = at;
    const owned = new Map<number, OwnerEntry>();
    for (const kv of [...(owners?.kvs ?? []), ...(writers?.kvs ?? [])]) {
      const { member } = parsed(kv, { member: '' });
      owned.set(this.#rightOf(kv), { member, lease: kv.lease, fence: Number(kv.createRevision) });
    }
    return {
      kind: 'looked',
      seen: {
        revision: Number(at),
        head: parsed(head?.kvs[0], { n: 0 }).n,
        members,
        isWhole: since === undefined,
        owners: owned,
        ownerCount: (owners?.count ?? 0) + (writers?.count ?? 0),
        last: this.#byRight(last?.kvs, (kv): LastEntry =>
          parsed(kv, { member: '', lease: '', isGiven: false }),
        ),
        wants: this.#byRight(wants?.kvs, (kv) => parsed(kv, { member: '' }).member),
        wantCount: wants?.count ?? 0,
      },
    };
  }

  /** All keys of a folder as they were at a revision, in pieces that etcd and the way to it can take within the time of a request. */
  async #all(
    name: string,
    revision: string,
  ): Promise<{ readonly kvs: readonly KeyValue[]; readonly count: number }> {
    const { etcd } = this.#options;
    const end = prefixEnd(this.#folder + name);
    const kvs: KeyValue[] = [];
    let key: Bytes = this.#folder + name;
    for (;;) {
      const page = await etcd.range({ key, end, revision, limit: pageSize });
      kvs.push(...page.kvs);
      const last = page.kvs.at(-1);
      if (last === undefined || page.kvs.length < pageSize) return { kvs, count: kvs.length };
      key = Buffer.concat([last.key, Buffer.alloc(1)]);
    }
  }

  /** Says of each of the others whether its lease was just renewed: a whole second less than it lasts is left, rounded down. */
  #aged(members: readonly Omit<MemberEntry, 'isFresh'>[]): Promise<MemberEntry[]> {
    const { etcd, name } = this.#options;
    const aged = members.map(async (member): Promise<MemberEntry> => {
      const isFresh = member.name !== name && (await etcd.timeLeft(member.lease)) >= times.lease / 1000 - 1;
      return { ...member, isFresh };
    });
    return Promise.all(aged);
  }

  async #take({ lease, rights }: Extract<EtcdCommand, { op: 'take' }>): Promise<EtcdEvent> {
    const { etcd, name: member } = this.#options;
    const last: LastEntry = { member, lease, isGiven: false };
    const { succeeded, revision } = await etcd.txn({
      compare: [
        this.#membership(),
        ...rights.map((right): Compare => ({ key: this.#ownerKey(right), createRevision: '0' })),
      ],
      success: rights.flatMap((right): Operation[] => [
        { put: this.#ownerKey(right), value: JSON.stringify({ member }), lease },
        { put: `${this.#folder}last/${right}`, value: JSON.stringify(last) },
        { delete: `${this.#folder}want/${right}` },
      ]),
    });
    return { kind: 'took', lease, rights, fence: succeeded ? Number(revision) : undefined };
  }

  async #give({ lease, rights }: Extract<EtcdCommand, { op: 'give' }>): Promise<EtcdEvent> {
    const { etcd, name: member } = this.#options;
    const last: LastEntry = { member, lease, isGiven: true };
    const { succeeded } = await etcd.txn({
      compare: rights.map(({ right, fence }) => ({
        key: this.#ownerKey(right),
        createRevision: String(fence),
      })),
      success: rights.flatMap(({ right }): Operation[] => [
        { delete: this.#ownerKey(right) },
        { put: `${this.#folder}last/${right}`, value: JSON.stringify(last) },
      ]),
    });
    return { kind: 'gave', rights: rights.map(({ right }) => right), isDone: succeeded };
  }

  #membership(): Compare {
    return { key: this.#ownKey, createRevision: this.#created };
  }

  get #ownKey(): string {
    return `${this.#folder}gateway/${encodeName(this.#options.name)}`;
  }

  #valueOf({ isReady, isDraining }: { readonly isReady: boolean; readonly isDraining: boolean }): string {
    return JSON.stringify({ ...this.#options.describe(), isReady, isDraining });
  }

  #ownerKey(right: number): string {
    return this.#folder + (right === writer ? 'writer' : `owner/${right}`);
  }

  #rightOf({ key }: KeyValue): number {
    const part = key.toString().slice(this.#folder.length);
    return part === 'writer' ? writer : Number(part.slice(part.indexOf('/') + 1));
  }

  #byRight<T>(kvs: readonly KeyValue[] = [], valueOf: (kv: KeyValue) => T): Map<number, T> {
    return new Map(kvs.map((kv) => [this.#rightOf(kv), valueOf(kv)]));
  }

  /** Undefined for a key that no gateway has written. */
  #memberOf(kv: KeyValue): Omit<MemberEntry, 'isFresh'> | undefined {
    const name = decodeName(kv.key.toString().slice(`${this.#folder}gateway/`.length));
    if (name === undefined) return undefined;
    const nothing = { labels: [], capacity: 1, load: 0, isReady: false, isDraining: false };
    const { labels, capacity, load, isReady, isDraining } = parsed<typeof nothing & { labels: string[] }>(
      kv,
      nothing,
    );
    return { name, labels, capacity, load, isReady, isDraining, lease: kv.lease };
  }
}

/** What the member hears of a request without a good answer; a transaction that was refused is not done. */
function failureOf(command: EtcdCommand, isRefused: boolean): EtcdEvent {
  if (command.op === 'take') {
    const { lease, rights } = command;
    return { kind: 'took', lease, rights, fence: undefined };
  }
  if (command.op !== 'give') return { kind: 'failed', request: command.op };
  const rights = command.rights.map(({ right }) => right);
  return { kind: 'gave', rights, isDone: isRefused ? false : undefined };
}

/** The JSON object of a key; `otherwise` gives missing members, and everything where there is no object. */
function parsed<T extends object>(kv: KeyValue | undefined, otherwise: T): T {
  try {
    const value: unknown = JSON.parse(kv?.value.toString() ?? '');
    return typeof value === 'object' && value !== null ? { ...otherwise, ...value } : otherwise;
  } catch {
    return otherwise;
  }
}
