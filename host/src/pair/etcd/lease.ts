import { type Etcd, type KeyValue, prefixEnd, Refused } from './etcd.ts';
import { decodeName } from './names.ts';
import type { Held, Holder, Switch } from '../ports.ts';

/** Seconds that a lease lasts in etcd without being renewed. */
export const leaseSeconds = 5;

/** What the gateways of a pair know of their lease. */
export interface LeaseState {
  readonly holder: (Holder & Held) | undefined;
  /** The holder has renewed it within about the last second. */
  readonly isFresh: boolean;
  /** Who gave the lease back, which is free since then; undefined when it ended because it was not renewed. */
  readonly givenBack: { readonly name: string; readonly reason: string } | undefined;
  readonly lastSwitch: Switch | undefined;
  /** Names of the gateways that are running: each renews its own key. */
  readonly members: readonly string[];
}

/**
 * The lease of a pair, the right to poll, which one gateway has at a time and loses when it does not renew it in time: the key
 * `/tagway/ID/holder`, which ends with a lease of etcd. Beside it stand `given-back`, the name of the last holder and its reason to give
 * the lease back, and `switch`, the last change. Every method rejects with `Unreachable`, or with `Refused` when etcd does not do what it
 * is asked, as when its database is full.
 */
export class EtcdLease {
  readonly #etcd: Etcd;
  readonly #folder: string;
  #held: (Held & { readonly lease: string; readonly name: string }) | undefined;

  constructor(etcd: Etcd, pair: string) {
    this.#etcd = etcd;
    this.#folder = folderOf(pair);
  }

  async look(): Promise<LeaseState> {
    const members = `${this.#folder}member/`;
    const [holder, givenBack, last, there] = await this.#etcd.read([
      ...['holder', 'given-back', 'switch'].map((name) => ({ key: this.#folder + name })),
      { key: members, end: prefixEnd(members), keysOnly: true },
    ]);
    const found = holder?.kvs[0];
    const left = found === undefined ? 0 : await this.#etcd.timeLeft(found.lease);
    const note = givenBack?.kvs[0];
    const change = last?.kvs[0];
    return {
      holder: found && holderOf(found),
      // Whole seconds, rounded down.
      isFresh: left >= leaseSeconds - 1,
      givenBack: note && jsonOf(note, { name: '', reason: '' }),
      lastSwitch: change && jsonOf(change, { time: 0, from: '', to: '', reason: '' }),
      members: (there?.kvs ?? []).flatMap(
        ({ key }) => decodeName(key.toString().slice(members.length)) ?? [],
      ),
    };
  }

  /** Takes the lease if it is free; undefined when another gateway has it. Resolves to the last switch, too, which this may be. */
  async take(holder: Holder): Promise<(Held & { readonly lastSwitch: Switch }) | undefined> {
    const { holder: other, givenBack, lastSwitch } = await this.look();
    if (other !== undefined) return undefined;
    const lease = await this.#etcd.grant(leaseSeconds);
    const change: Switch = {
      time: Date.now(),
      from: lastSwitch?.to ?? '',
      to: holder.name,
      reason: givenBack?.reason ?? reasonOf(lastSwitch),
    };
    const isSwitch = change.from !== change.to;
    try {
      const { succeeded, revision } = await this.#etcd.txn({
        compare: [{ key: `${this.#folder}holder`, createRevision: '0' }],
        success: [
          { put: `${this.#folder}holder`, value: JSON.stringify(holder), lease },
          { delete: `${this.#folder}given-back` },
          ...(isSwitch ? [{ put: `${this.#folder}switch`, value: JSON.stringify(change) }] : []),
        ],
      });
      if (succeeded) {
        this.#held = { fence: revision, lease, name: holder.name };
        return { fence: revision, lastSwitch: isSwitch || lastSwitch === undefined ? change : lastSwitch };
      }
    } catch (error) {
      // The lease may have been taken, and would not be renewed.
      await this.#etcd.revoke(lease).catch(() => undefined);
      throw error;
    }
    await this.#etcd.revoke(lease).catch(() => undefined);
    return undefined;
  }

  /**
   * Renews the lease; false when it is lost. The key is looked at, too: an operator may have deleted it. Where etcd refuses that look, the
   * lease alone decides, and `refused` is called.
   */
  async renew(refused: (error: Refused) => void = () => undefined): Promise<boolean> {
    if (this.#held === undefined) return false;
    const { lease, fence } = this.#held;
    const isKept = async (): Promise<boolean> => {
      try {
        return (await this.#etcd.get(`${this.#folder}holder`))?.createRevision === fence;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refused(error);
        return true;
      }
    };
    const [isAlive, isOurs] = await Promise.all([this.#etcd.keepAlive(lease), isKept()]);
    return isAlive && isOurs;
  }

  /** Gives the lease back; nothing happens when it is lost already. `reason` is a sentence for the other gateway. */
  async release(reason: string): Promise<void> {
    if (this.#held === undefined) return;
    const { fence, name, lease } = this.#held;
    try {
      await giveBack(this.#etcd, this.#folder, fence, name, reason);
    } catch (error) {
      // An etcd that is full takes no note, but ends the lease. Where it does not answer, this may be tried again.
      if (!(error instanceof Refused)) throw error;
    }
    if (this.#held?.lease === lease) this.#held = undefined;
    // Without its key the lease has no effect, and it ends by itself.
    await this.#etcd.revoke(lease).catch(() => undefined);
  }

  /** Gives back what another process of this gateway holds. */
  releaseOf({ fence, name }: Holder & Held, reason: string): Promise<void> {
    return giveBack(this.#etcd, this.#folder, fence, name, reason);
  }

  async holder(): Promise<(Holder & Held) | undefined> {
    const found = await this.#etcd.get(`${this.#folder}holder`);
    return found && holderOf(found);
  }
}

const folderOf = (pair: string): string => `/tagway/${pair}/`;

/** Nothing happens when another holder has it by now. */
async function giveBack(
  etcd: Etcd,
  folder: string,
  fence: string,
  name: string,
  reason: string,
): Promise<void> {
  await etcd.txn({
    compare: [{ key: `${folder}holder`, createRevision: fence }],
    success: [
      { delete: `${folder}holder` },
      { put: `${folder}given-back`, value: JSON.stringify({ name, reason }) },
    ],
    isRepeatable: true,
  });
}

function reasonOf(last: Switch | undefined): string {
  if (last === undefined) return 'The pair had no active gateway yet.';
  return `The gateway "${last.to}" did not renew its lease any more.`;
}

function holderOf(found: KeyValue): Holder & Held {
  return { ...jsonOf(found, { name: '', url: '' }), fence: found.createRevision };
}

/** The JSON object that another gateway wrote; `otherwise` gives missing members, and everything when it is no object. */
function jsonOf<T extends object>({ value }: KeyValue, otherwise: T): T {
  try {
    const parsed: unknown = JSON.parse(value.toString());
    return typeof parsed === 'object' && parsed !== null ? { ...otherwise, ...parsed } : otherwise;
  } catch {
    return otherwise;
  }
}
