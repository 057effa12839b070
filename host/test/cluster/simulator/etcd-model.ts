import type { LastEntry, MemberEntry, OwnerEntry, Right, Seen } from '../../../src/cluster/member-events.ts';
import { writer } from '../../../src/cluster/member-events.ts';
import { times } from '../../../src/cluster/times.ts';
import type { Clockwork } from './clockwork.ts';

type Registration = Omit<MemberEntry, 'isFresh'>;
type Put<V> = V & { readonly mod: number };

/** What etcd is in the simulation, and what may be switched off of it. */
export interface EtcdTraits {
  /** A new leader starts all leases again (rule 7). */
  readonly restartsLeases: boolean;
  /** Transactions look at their conditions. */
  readonly compares: boolean;
}

/** Most operations of a transaction, as etcd has it by default. */
const mostOperations = 128;

/** Milliseconds between two looks for leases that have ended. */
const sweepEvery = 250;

/** etcd as its clients see it: revisions, leases, transactions. What is asked of it happens at once; the network is elsewhere. */
export class EtcdModel {
  /** There is a leader, and it has a majority. */
  isUp = true;
  /** Alarm NOSPACE: nothing can be put. */
  isFull = false;
  revision = 1;
  head = 0;
  readonly members = new Map<string, Registration>();
  readonly owners = new Map<number, OwnerEntry>();
  /** The configuration at the moment when a node became free. */
  readonly headWhenFree = new Map<number, number>();
  readonly #clock: Clockwork;
  readonly #traits: EtcdTraits;
  readonly #last = new Map<number, Put<LastEntry>>();
  readonly #wants = new Map<number, { readonly member: string; readonly mod: number }>();
  readonly #leases = new Map<string, { end: number }>();
  #leaseCount = 0;

  constructor(clock: Clockwork, traits: EtcdTraits) {
    this.#clock = clock;
    this.#traits = traits;
    this.#sweep();
  }

  /** Undefined: the name is taken, or etcd is full. */
  join(entry: Omit<Registration, 'lease'>): { lease: string; revision: number } | undefined {
    if (this.isFull || this.members.has(entry.name)) return undefined;
    const lease = `lease ${++this.#leaseCount}`;
    this.#leases.set(lease, { end: this.#clock.now + times.lease });
    this.members.set(entry.name, { ...entry, lease });
    return { lease, revision: ++this.revision };
  }

  renew(lease: string): boolean {
    const known = this.#leases.get(lease);
    if (known === undefined || known.end <= this.#clock.now) return false;
    known.end = this.#clock.now + times.lease;
    return true;
  }

  register(name: string, lease: string, change: Pick<MemberEntry, 'isReady' | 'isDraining'>): boolean {
    const known = this.members.get(name);
    if (this.isFull || known?.lease !== lease) return false;
    this.members.set(name, { ...known, ...change });
    this.revision++;
    return true;
  }

  /** What was put after `since`; everything without it. */
  look(since: number | undefined): Seen {
    const isWhole = since === undefined;
    const isNew = (mod: number): boolean => isWhole || mod > since;
    const { now } = this.#clock;
    const owners = new Map<number, OwnerEntry>();
    for (const [right, owner] of this.owners) if (isNew(owner.fence)) owners.set(right, owner);
    const last = new Map<number, LastEntry>();
    for (const [right, entry] of this.#last) if (isNew(entry.mod)) last.set(right, entry);
    const wants = new Map<number, string>();
    for (const [right, { member, mod }] of this.#wants) if (isNew(mod)) wants.set(right, member);
    return {
      revision: this.revision,
      head: this.head,
      members: Array.from(this.members.values(), (member) => ({
        ...member,
        isFresh: (this.#leases.get(member.lease)?.end ?? 0) - now >= times.lease - 1000,
      })),
      isWhole,
      owners,
      ownerCount: this.owners.size,
      last,
      wants,
      wantCount: this.#wants.size,
    };
  }

  /** Undefined: a condition did not hold, or etcd is full. */
  take(member: string, lease: string, rights: readonly number[]): number | undefined {
    if (3 * rights.length > mostOperations) throw new Error(`etcd takes no ${3 * rights.length} operations.`);
    if (this.isFull || !this.#leases.has(lease)) return undefined;
    if (this.#traits.compares) {
      if (this.members.get(member)?.lease !== lease) return undefined;
      if (rights.some((right) => this.owners.has(right))) return undefined;
    }
    const fence = ++this.revision;
    for (const right of rights) {
      this.owners.set(right, { member, lease, fence });
      this.#last.set(right, { member, lease, isGiven: false, mod: fence });
      this.#wants.delete(right);
    }
    return fence;
  }

  give(member: string, rights: readonly Right[]): boolean {
    if (2 * rights.length > mostOperations) throw new Error(`etcd takes no ${2 * rights.length} operations.`);
    if (this.isFull) return false;
    if (this.#traits.compares && rights.some(({ right, fence }) => this.owners.get(right)?.fence !== fence))
      return false;
    this.revision++;
    for (const { right } of rights) {
      const lease = this.owners.get(right)?.lease ?? '';
      this.#free(right);
      this.#last.set(right, { member, lease, isGiven: true, mod: this.revision });
    }
    return true;
  }

  want(right: number, member: string): void {
    this.#wants.set(right, { member, mod: ++this.revision });
  }

  /** A change of the configuration by who has the right to write with this fence. */
  append(fence: number): boolean {
    if (this.isFull || this.owners.get(writer)?.fence !== fence) return false;
    this.head++;
    this.revision++;
    return true;
  }

  /** The lease and its keys are gone. */
  revoke(lease: string): void {
    if (!this.#leases.delete(lease)) return;
    this.revision++;
    for (const [name, member] of this.members) if (member.lease === lease) this.members.delete(name);
    for (const [right, owner] of this.owners) if (owner.lease === lease) this.#free(right);
  }

  elect(): void {
    const { now } = this.#clock;
    if (this.#traits.restartsLeases) for (const lease of this.#leases.values()) lease.end = now + times.lease;
    this.isUp = true;
  }

  #free(right: number): void {
    this.owners.delete(right);
    this.headWhenFree.set(right, this.head);
  }

  #sweep(): void {
    if (this.isUp)
      for (const [lease, { end }] of this.#leases) if (this.#clock.now >= end) this.revoke(lease);
    this.#clock.after(sweepEvery, () => this.#sweep());
  }
}
