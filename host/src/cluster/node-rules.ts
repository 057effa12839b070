import { isFlapping } from './look.ts';
import type { Command, LastEntry, MemberEntry, Right } from './member-events.ts';
import { type Free, isOpen, type MemberState, wake } from './member-state.ts';
import { allows, ranked } from './placement.ts';

/**
 * Rule 6: what etcd has under this member's lease and does not run here is started, as after a lapse, or after a request to take it whose
 * answer was lost. What cannot run here is given back.
 */
export function adopt(state: MemberState, now: number, out: Command[]): void {
  if (state.lease === undefined || state.isKilling || state.isDoomed) return;
  const { owned, giving, times, host } = state;
  const rights: Right[] = [];
  const idle: Right[] = [];
  for (const [right, { lease, fence }] of state.owners) {
    if (lease !== state.lease || owned.has(right) || giving.has(right)) continue;
    if (!host.isReady) idle.push({ right, fence });
    else if (!mayRunHere(state, right)) giving.set(right, { fence, from: now + times.drain, isAsked: false });
    else if (isOpen(state, now)) rights.push({ right, fence });
  }
  state.idleSince = idle.length === 0 ? undefined : (state.idleSince ?? now);
  if (state.idleSince !== undefined) {
    const at = state.idleSince + times.resume;
    if (now < at) wake(state, at);
    else
      for (const { right, fence } of idle)
        giving.set(right, { fence, from: now + times.drain, isAsked: false });
  }
  own(state, rights, out);
}

export function own(state: MemberState, rights: readonly Right[], out: Command[]): void {
  if (rights.length === 0) return;
  for (const { right, fence } of rights) state.owned.set(right, fence);
  out.push({ op: 'start', rights });
}

/** Rule 4: decides what is given up, and deletes the keys of what has been silent for long enough. */
export function giveUp(state: MemberState, now: number, out: Command[]): void {
  leave(state, now, out);
  const { lease } = state;
  if (lease === undefined || state.isDoomed) return;
  const due: Right[] = [];
  for (const [right, giving] of state.giving) {
    if (giving.from === undefined || giving.isAsked) continue;
    if (now < giving.from) {
      wake(state, giving.from);
      continue;
    }
    giving.isAsked = true;
    due.push({ right, fence: giving.fence });
  }
  for (let at = 0; at < due.length; at += state.times.batch)
    out.push({ op: 'give', lease, rights: due.slice(at, at + state.times.batch) });
}

/** A node that is not to run, or not here, is stopped; one that is to move only while few do. */
function leave(state: MemberState, now: number, out: Command[]): void {
  const stopped: number[] = [];
  const stop = (right: number): void => {
    const fence = state.owned.get(right);
    if (fence === undefined) return;
    state.owned.delete(right);
    state.giving.set(right, { fence, from: undefined, isAsked: false });
    stopped.push(right);
  };
  for (const right of state.owned.keys()) {
    if (!state.owned.has(right)) continue;
    if (!mayRunHere(state, right)) stop(right);
    else if (state.giving.size < state.times.moves && mayMove(state, right, now))
      for (const one of affinityOf(state, right)) stop(one);
  }
  if (stopped.length > 0) out.push({ op: 'stop', rights: stopped });
}

function mayMove(state: MemberState, right: number, now: number): boolean {
  const { isDraining } = state.host;
  const target = wantOf(state, right) ?? leaderOf(state, right);
  if (!isDraining && (target === undefined || target === state.name || isFlapping(state, right, now)))
    return false;
  const others = placesOf(state, right).filter((one) => isCandidate(one) && one.name !== state.name);
  return isDraining ? others.length > 0 : others.some(({ name }) => name === target);
}

/** Rules 3, 5 and 8: takes what is free when it is this member's turn. */
export function take(state: MemberState, now: number, out: Command[]): void {
  const { lease, host, taking, giving } = state;
  if (lease === undefined || state.isKilling || state.isDoomed || !isOpen(state, now)) return;
  if (!host.isReady || host.isDraining) return;
  const due: number[] = [];
  for (const [right, free] of state.free) {
    if (taking.has(right) || host.applied < free.head) continue;
    if (affinityOf(state, right).some((one) => giving.has(one))) continue;
    const at = turnOf(state, right, free, now);
    if (at === undefined) continue;
    if (at > now) wake(state, at);
    else due.push(right);
  }
  for (const rights of batchesOf(state, due)) {
    // The rest follows with the answers to these.
    if (taking.size >= state.times.batch * state.times.batches) return;
    for (const right of rights) taking.add(right);
    out.push({ op: 'take', lease, rights });
  }
}

/** When this member may take a free node; undefined: not as things are. */
function turnOf(state: MemberState, right: number, free: Free, now: number): number | undefined {
  const { name, times, last } = state;
  const places = placesOf(state, right);
  let candidates = places.filter(isCandidate);
  const former = last.get(right);
  // It stays where it is, also while its host is being started again.
  if (former !== undefined && former.member !== name && isFlapping(state, right, now))
    if (places.some((one) => one.name === former.member && !one.isDraining)) return undefined;
  const holder = holderOf(state, right);
  if (holder !== undefined) candidates = candidates.filter((one) => one.name === holder);
  const order = ranked(affinityIdOf(state, right), candidates).map((one) => one.name);
  if (former?.isGiven === false) putFirst(order, former.member);
  putFirst(order, wantOf(state, right));
  const rank = order.indexOf(name);
  if (rank < 0) return undefined;
  const isOurs = former?.member === name || wantOf(state, right) === name;
  const since = isOurs ? free.since : Math.max(free.since, state.settledAt);
  return Math.max(since + rank * times.rank, quietFrom(state, former));
}

/**
 * When nothing of who had a node is on its way any more. A lease may end too early: in older versions of etcd, such as 3.4.23, a leader that
 * continues after a stop ends leases that were renewed meanwhile. The gateway that had it may then send until its own deadline.
 */
function quietFrom({ name, times, fresh, lostAt }: MemberState, former: LastEntry | undefined): number {
  if (former === undefined || former.isGiven) return -Infinity;
  if (former.member === name) return lostAt + times.drain;
  return (fresh.get(former.lease) ?? -Infinity) + times.kill;
}

function putFirst(order: string[], name: string | undefined): void {
  const at = name === undefined ? -1 : order.indexOf(name);
  if (at > 0) order.unshift(...order.splice(at, 1));
}

/** Gateways where a node may run, with all that it is bound to. */
function placesOf(state: MemberState, right: number): MemberEntry[] {
  const affinity = affinityOf(state, right);
  return state.members.filter((member) =>
    affinity.every((one) => allows(state.nodes.get(one)!.placement, member)),
  );
}

const isCandidate = ({ isReady, isDraining }: MemberEntry): boolean => isReady && !isDraining;

function mayRunHere(state: MemberState, right: number): boolean {
  if (!state.nodes.has(right)) return false;
  const own = state.members.find(({ name }) => name === state.name);
  if (own === undefined) return true;
  return affinityOf(state, right).every((one) => allows(state.nodes.get(one)!.placement, own));
}

const affinityIdOf = ({ nodes }: MemberState, right: number): number => nodes.get(right)?.affinity ?? right;

const affinityOf = (state: MemberState, right: number): readonly number[] =>
  state.affinities.get(affinityIdOf(state, right)) ?? [right];

/** Who has one of the nodes that this one is bound to. */
function holderOf(state: MemberState, right: number): string | undefined {
  for (const one of affinityOf(state, right)) {
    const owner = one === right ? undefined : state.owners.get(one);
    if (owner !== undefined) return owner.member;
  }
  return undefined;
}

/** Who has the first node of those that it is bound to: where they came apart, the others follow that one. */
const leaderOf = (state: MemberState, right: number): string | undefined =>
  state.owners.get(affinityIdOf(state, right))?.member;

function wantOf(state: MemberState, right: number): string | undefined {
  if (state.wants.size === 0) return undefined;
  for (const one of affinityOf(state, right)) {
    const want = state.wants.get(one);
    if (want !== undefined) return want;
  }
  return undefined;
}

/** Nodes that are bound together are taken together, as far as one transaction takes them. */
function batchesOf(state: MemberState, rights: readonly number[]): number[][] {
  const affinities = new Map<number, number[]>();
  for (const right of rights) {
    const affinity = affinityIdOf(state, right);
    const those = affinities.get(affinity);
    if (those === undefined) affinities.set(affinity, [right]);
    else those.push(right);
  }
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const affinity of affinities.values()) {
    if (batch.length > 0 && batch.length + affinity.length > state.times.batch) {
      batches.push(batch);
      batch = [];
    }
    for (const right of affinity) {
      if (batch.length === state.times.batch) {
        batches.push(batch);
        batch = [];
      }
      batch.push(right);
    }
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
