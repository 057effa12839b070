import { type Answer, EtcdEndpoint, type EtcdTls, Refused, Unanswered } from './etcd-endpoint.ts';
import { Unreachable } from '../ports.ts';

export { type EtcdTls, Refused } from './etcd-endpoint.ts';

/** Keys and values: texts are taken as UTF-8. */
export type Bytes = Buffer | string;

export interface KeyValue {
  readonly key: Buffer;
  /** Empty where only keys were asked for. */
  readonly value: Buffer;
  /** Revisions are decimal digits, as they are 64 bits wide. */
  readonly createRevision: string;
  /** Decimal digits; "0": the key has no lease. */
  readonly lease: string;
}

export interface RangeRequest {
  readonly key: Bytes;
  /** The end of the range, which is not part of it; undefined: the one key. See `prefixEnd`. */
  readonly end?: Bytes;
  /** Most keys of the answer. */
  readonly limit?: number;
  readonly keysOnly?: boolean;
  /** Only keys that were put after this revision. */
  readonly since?: string;
  /** The content at an earlier revision. Refused (`OUT_OF_RANGE`) when that was compacted. */
  readonly revision?: string;
}

export interface RangeAnswer {
  readonly kvs: readonly KeyValue[];
  /** Keys of the whole range, however few were asked for. */
  readonly count: number;
  /** Of the whole database. */
  readonly revision: string;
}

/** One condition of a transaction, an equality. A key that does not exist has revision "0". */
export type Compare = { readonly key: Bytes } & (
  { readonly createRevision: string } | { readonly value: Bytes }
);

export type Operation =
  | { readonly put: Bytes; readonly value: Bytes; readonly lease?: string }
  | { readonly delete: Bytes; readonly end?: Bytes }
  | { readonly range: RangeRequest };

/** At most 128 operations each way and 1.5 MB in all, as etcd is by default. */
export interface Transaction {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure?: readonly Operation[];
  /**
   * It may be done twice without harm, so the next member is asked after any failure of the one before; `succeeded` is then that of the
   * last attempt.
   */
  readonly isRepeatable?: boolean;
}

export interface TransactionAnswer {
  /** True: all conditions held, and `success` was done; false: `failure` was done. */
  readonly succeeded: boolean;
  readonly revision: string;
  /** The answer of each operation that is a range, in their order; undefined for other operations. */
  readonly ranges: readonly (RangeAnswer | undefined)[];
}

/** A member of etcd, as it describes itself. */
export interface EtcdMember {
  readonly endpoint: string;
  /** Such as `3.5.16`. */
  readonly version: string;
  readonly alarms: readonly string[];
}

export interface EtcdOptions {
  /** Such as `http://10.0.0.5:2379`, one for each member. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  /** Reads the files of TLS again, now and then; undefined: they are as before. */
  readonly renewedTls?: () => EtcdTls | undefined;
  /** For one request to one member, in milliseconds. */
  readonly timeout?: number;
}

/**
 * An etcd of several members, over its JSON gateway (https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/), which every member has.
 * All reads are linearizable. Requests that only read or may be repeated are sent to all members side by side, and the first answer
 * counts. A transaction goes to one member, and to the next only when it is certain that it did not reach that one. Every method rejects
 * with `Unreachable` when no member has an answer, after which a transaction may have been done or not; with `Refused` when etcd
 * says no.
 */
export class Etcd {
  readonly #endpoints: readonly EtcdEndpoint[];
  /** The member that answered last. */
  #preferred = 0;
  readonly #renewal: NodeJS.Timeout | undefined;

  constructor({ endpoints, tls, renewedTls, timeout = 500 }: EtcdOptions) {
    this.#endpoints = endpoints.map((url) => new EtcdEndpoint(url, timeout, tls));
    if (renewedTls === undefined) return;
    const renew = (): void => {
      const renewed = renewedTls();
      if (renewed !== undefined) for (const endpoint of this.#endpoints) endpoint.secure(renewed);
    };
    this.#renewal = setInterval(renew, renewEvery).unref();
  }

  async range(request: RangeRequest): Promise<RangeAnswer> {
    return rangeAnswer(await this.#askAll('/v3/kv/range', rangeJson(request)));
  }

  /** One key; undefined when it does not exist. */
  async get(key: Bytes): Promise<KeyValue | undefined> {
    return (await this.range({ key })).kvs[0];
  }

  /** Reads several ranges at one revision; the answers are in the order of the requests. */
  async read(requests: readonly RangeRequest[]): Promise<readonly RangeAnswer[]> {
    const success = requests.map((range) => operationJson({ range }));
    return rangesOf(await this.#askAll('/v3/kv/txn', { success })).map((range) => range ?? nothing);
  }

  async txn({
    compare,
    success,
    failure = [],
    isRepeatable = false,
  }: Transaction): Promise<TransactionAnswer> {
    const body = {
      compare: compare.map(compareJson),
      success: success.map(operationJson),
      failure: failure.map(operationJson),
    };
    const answer = await this.#askOne('/v3/kv/txn', body, isRepeatable);
    return {
      succeeded: answer.succeeded === true,
      revision: answer.header?.revision ?? '0',
      ranges: rangesOf(answer),
    };
  }

  /** Makes a lease that ends after `seconds` unless it is kept alive. Resolves to its id. A lease whose id is lost ends by itself. */
  async grant(seconds: number): Promise<string> {
    const { ID: id } = await this.#askOne('/v3/lease/grant', { TTL: String(seconds) }, true);
    if (id === undefined) throw new Unreachable('a lease was granted without an id');
    return id;
  }

  /** Starts the time of a lease anew. False: there is no such lease any more. */
  async keepAlive(lease: string): Promise<boolean> {
    const { result } = await this.#askAll('/v3/lease/keepalive', { ID: lease });
    return Number(result?.TTL ?? 0) > 0;
  }

  /** Whole seconds that a lease has left unless it is renewed; below 0 when it has ended. */
  async timeLeft(lease: string): Promise<number> {
    return Number((await this.#askAll('/v3/lease/timetolive', { ID: lease })).TTL ?? 0);
  }

  /** Ends a lease, and with it its keys; nothing happens when it has ended already. */
  async revoke(lease: string): Promise<void> {
    try {
      await this.#askAll('/v3/lease/revoke', { ID: lease });
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'NOT_FOUND')) throw error;
    }
  }

  /** Forgets what the database held before this revision. Refused (`OUT_OF_RANGE`) when that was done already. */
  async compact(revision: string): Promise<void> {
    await this.#askOne('/v3/kv/compaction', { revision }, true);
  }

  /** The members that answer, each about itself. */
  async members(): Promise<readonly EtcdMember[]> {
    const asked = this.#endpoints.map(async (endpoint): Promise<EtcdMember> => {
      const { version = '', errors: alarms = [] } = await endpoint.ask('/v3/maintenance/status', '{}');
      return { endpoint: endpoint.origin, version, alarms };
    });
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  /** Breaks all connections. */
  close(): void {
    clearInterval(this.#renewal);
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  async #askAll(path: string, body: object): Promise<Answer> {
    const text = JSON.stringify(body);
    const asked = this.#endpoints.map((endpoint, index) => this.#ask(endpoint, index, path, text));
    let answer: Answer | Refused;
    try {
      answer = await Promise.any(asked);
    } catch (error) {
      throw unreachable(error instanceof AggregateError ? error.errors : [error]);
    }
    if (answer instanceof Refused) throw answer;
    return answer;
  }

  /** `isRepeatable`: what is asked may be done twice without harm. */
  async #askOne(path: string, body: object, isRepeatable = false): Promise<Answer> {
    const text = JSON.stringify(body);
    const first = this.#preferred;
    const errors: unknown[] = [];
    for (let tried = 0; tried < this.#endpoints.length; tried++) {
      const index = (first + tried) % this.#endpoints.length;
      try {
        const answer = await this.#ask(this.#endpoints[index]!, index, path, text);
        if (answer instanceof Refused) throw answer;
        return answer;
      } catch (error) {
        if (error instanceof Refused) throw error;
        errors.push(error);
        if (this.#preferred === index) this.#preferred = (index + 1) % this.#endpoints.length;
        if (!isRepeatable && !(error instanceof Unanswered && !error.mayBeDone)) break;
      }
    }
    throw unreachable(errors);
  }

  /** A refusal counts as an answer, so that no other member is waited for. */
  async #ask(endpoint: EtcdEndpoint, index: number, path: string, body: string): Promise<Answer | Refused> {
    try {
      const answer = await endpoint.ask(path, body);
      this.#preferred = index;
      return answer;
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
  }
}

/** Milliseconds between two looks at the files of TLS. */
const renewEvery = 10_000;

/** The first key after all keys that begin with `prefix`. */
export function prefixEnd(prefix: Bytes): Buffer {
  const end = Buffer.from(prefix);
  for (let index = end.length - 1; index >= 0; index--) {
    if (end[index]! < 0xff) {
      end[index]!++;
      return end.subarray(0, index + 1);
    }
  }
  // For etcd this end means all keys from the beginning of the range on.
  return Buffer.from([0]);
}

function unreachable(errors: readonly unknown[]): Unreachable {
  const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  return new Unreachable([...new Set(reasons)].join('; '));
}

const base64 = (bytes: Bytes): string => Buffer.from(bytes).toString('base64');

function rangeJson({ key, end, limit, keysOnly, since, revision }: RangeRequest): object {
  return {
    key: base64(key),
    ...(end !== undefined && { range_end: base64(end) }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(keysOnly === true && { keys_only: true }),
    ...(since !== undefined && { min_mod_revision: String(BigInt(since) + 1n) }),
    ...(revision !== undefined && { revision }),
  };
}

function compareJson(compare: Compare): object {
  const condition = { key: base64(compare.key), result: 'EQUAL' };
  if ('createRevision' in compare)
    return { ...condition, target: 'CREATE', create_revision: compare.createRevision };
  return { ...condition, target: 'VALUE', value: base64(compare.value) };
}

function operationJson(operation: Operation): object {
  if ('range' in operation) return { request_range: rangeJson(operation.range) };
  if ('put' in operation) {
    const { put, value, lease } = operation;
    return { request_put: { key: base64(put), value: base64(value), ...(lease !== undefined && { lease }) } };
  }
  const { delete: key, end } = operation;
  return {
    request_delete_range: { key: base64(key), ...(end !== undefined && { range_end: base64(end) }) },
  };
}

const nothing: RangeAnswer = { kvs: [], count: 0, revision: '0' };

function rangesOf({ responses = [] }: Answer): (RangeAnswer | undefined)[] {
  return responses.map(({ response_range: range }) => (range === undefined ? undefined : rangeAnswer(range)));
}

function rangeAnswer({ header, kvs = [], count = '0' }: Answer): RangeAnswer {
  return {
    kvs: kvs.map((kv) => ({
      key: Buffer.from(kv.key ?? '', 'base64'),
      value: Buffer.from(kv.value ?? '', 'base64'),
      createRevision: kv.create_revision ?? '0',
      lease: kv.lease ?? '0',
    })),
    count: Number(count),
    revision: header?.revision ?? '0',
  };
}
