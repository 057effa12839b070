import { randomUUID } from 'node:crypto';
import { type Etcd, prefixEnd } from '../etcd/etcd.ts';
import { retry } from '../etcd/retry.ts';
import { LeaseLost } from '../ports.ts';

/** Bytes of a part: etcd takes 1.5 MB a request by default. */
export const partSize = 1_000_000;

/** Content that is too large for one request of etcd: it is stored in parts, under a name of its own, before a record points to it. */
export interface Stage {
  readonly stage: string;
  readonly parts: number;
}

/** The condition that the lease is still that of a holder: the create revision of its key. */
export type Fence = { readonly key: string; readonly createRevision: string };

/** Stores content that is too large for one request, in parts. Only the holder of the lease puts and deletes them. */
export class Stages {
  readonly #etcd: Etcd;
  readonly #prefix: string;

  /** `prefix` ends with a slash. */
  constructor(etcd: Etcd, prefix: string) {
    this.#etcd = etcd;
    this.#prefix = prefix;
  }

  /** Puts bytes under a name that begins with `kind`. Rejects with `LeaseLost` or `Unreachable`; a later `sweep` deletes the parts that were put. */
  async put(fence: Fence, kind: string, bytes: Buffer): Promise<Stage> {
    const stage = `${kind}-${randomUUID()}`;
    const parts = Math.max(1, Math.ceil(bytes.length / partSize));
    for (let part = 0; part < parts; part++) {
      const value = bytes.subarray(part * partSize, (part + 1) * partSize);
      const { succeeded } = await retry(() =>
        this.#etcd.txn({ compare: [fence], success: [{ put: this.#key(stage, part), value }] }),
      );
      if (!succeeded) throw new LeaseLost();
    }
    return { stage, parts };
  }

  /** Undefined when a part of it is gone. */
  async read({ stage, parts }: Stage): Promise<Buffer | undefined> {
    const found: Buffer[] = [];
    for (let part = 0; part < parts; part++) {
      const kv = await this.#etcd.get(this.#key(stage, part));
      if (kv === undefined) return undefined;
      found.push(kv.value);
    }
    return Buffer.concat(found);
  }

  /** Deletes those that are not needed any more. Rejects as `put` does. */
  async sweep(fence: Fence, isNeeded: (stage: string) => boolean): Promise<void> {
    const { kvs } = await this.#etcd.range({
      key: this.#prefix,
      end: prefixEnd(this.#prefix),
      keysOnly: true,
    });
    const names = new Set(
      kvs.map(({ key }) => key.toString().slice(this.#prefix.length).split('/', 1)[0] ?? ''),
    );
    for (const name of names) {
      if (isNeeded(name)) continue;
      const prefix = `${this.#prefix}${name}/`;
      const { succeeded } = await this.#etcd.txn({
        compare: [fence],
        success: [{ delete: prefix, end: prefixEnd(prefix) }],
      });
      if (!succeeded) throw new LeaseLost();
    }
  }

  #key(stage: string, part: number): string {
    return `${this.#prefix}${stage}/${String(part).padStart(4, '0')}`;
  }
}
