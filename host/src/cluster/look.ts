import { lose } from './lease-rules.ts';
import type { Command, OwnerEntry, Seen } from './member-events.ts';
import type { MemberState } from './member-state.ts';

/** Takes in what was read in etcd. */
export function look(state: MemberState, seen: Seen, now: number, out: Command[]): void {
  if (state.lease === undefined || seen.revision < state.joined) return;
  const own = seen.members.find(({ name }) => name === state.name);
  if (own?.lease !== state.lease)
    return lose(state, now, out, 'The lease ended, or the key of this gateway was deleted.');
  state.members = seen.members;
  state.head = seen.head;
  for (const { lease, isFresh } of seen.members) if (isFresh) state.fresh.set(lease, now);
  for (const [lease, at] of state.fresh) if (now - at > 2 * state.times.lease) state.fresh.delete(lease);
  if (!state.asked.register) state.registered = registrationOf(own);
  if (seen.isWhole) {
    // What was taken after this was read is not gone.
    for (const [right, { fence }] of state.owners)
      if (fence <= seen.revision && !seen.owners.has(right)) gone(state, right, out);
    state.wants.clear();
  }
  for (const [right, owner] of seen.owners) putOwner(state, right, owner, now, out);
  for (const [right, last] of seen.last) state.last.set(right, last);
  for (const [right, want] of seen.wants) state.wants.set(right, want);
  const isExact = state.owners.size === seen.ownerCount && state.wants.size === seen.wantCount;
  state.isLookWhole = !seen.isWhole && !isExact;
  if (state.isLookWhole) state.lookAt = now;
  else findFree(state, now);
}

/** What `gateway/NAME` says that changes while the gateway runs. */
export const registrationOf = (of: { readonly isReady: boolean; readonly isDraining: boolean }): string =>
  `${of.isReady} ${of.isDraining}`;

/** The owner key of a node has this value and fence. */
export function setOwner(
  state: MemberState,
  right: number,
  owner: OwnerEntry,
  now: number,
  out: Command[],
): void {
  const former = state.last.get(right)?.member;
  state.owners.set(right, owner);
  // The transaction that takes a node deletes the wish.
  state.wants.delete(right);
  state.last.set(right, { member: owner.member, lease: owner.lease, isGiven: false });
  state.free.delete(right);
  if (former === undefined || former === owner.member) return;
  const since = now - state.times.handsWithin;
  const hands = (state.hands.get(right) ?? []).filter((at) => at > since);
  hands.push(now);
  state.hands.set(right, hands);
  if (hands.length <= state.times.hands) state.alarmed.delete(right);
  else if (!state.alarmed.has(right)) {
    state.alarmed.add(right);
    out.push({ op: 'alarm', right });
  }
}

/** Rule 8. */
export function isFlapping({ hands, times }: MemberState, right: number, now: number): boolean {
  const those = hands.get(right);
  if (those === undefined || those.length <= times.hands) return false;
  return those.filter((at) => at > now - times.handsWithin).length > times.hands;
}

function putOwner(state: MemberState, right: number, owner: OwnerEntry, now: number, out: Command[]): void {
  const before = state.owners.get(right);
  if (before !== undefined && before.fence >= owner.fence) return;
  setOwner(state, right, owner, now, out);
  if (state.giving.get(right)?.fence !== owner.fence) state.giving.delete(right);
  end(state, right, out);
}

function gone(state: MemberState, right: number, out: Command[]): void {
  state.owners.delete(right);
  state.giving.delete(right);
  end(state, right, out);
}

/** Nobody deletes the key of a holder whose lease lives; where somebody did, the node ends at once. */
function end(state: MemberState, right: number, out: Command[]): void {
  if (state.owned.delete(right)) out.push({ op: 'stop', rights: [right] });
}

function findFree(state: MemberState, now: number): void {
  const { free, owners, nodes, head, last, fresh, times } = state;
  // What happened between two looks far apart is not known: a lease may have been renewed until just now.
  const isBlind = now - state.lookedAt > times.blind;
  state.lookedAt = now;
  for (const right of nodes.keys()) {
    if (owners.has(right) || free.has(right)) continue;
    free.set(right, { since: now, head });
    const former = last.get(right);
    if (isBlind && former?.isGiven === false) fresh.set(former.lease, now);
  }
}
