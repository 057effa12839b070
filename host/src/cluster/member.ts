import { doom, keepLease, killAtDeadline, killSilentHost, open, renewed } from './lease-rules.ts';
import { look, registrationOf, setOwner } from './look.ts';
import type { Command, MemberEvent, Right } from './member-events.ts';
import { isOpen, type MemberState, setHost } from './member-state.ts';
import { adopt, giveUp, own, take } from './node-rules.ts';

/** One rule: it may change what the member is doing, and adds what is to be done. */
export type Rule = (state: MemberState, now: number, out: Command[]) => void;

/** All of them, in their order. */
export const rules: readonly Rule[] = [keepLease, killAtDeadline, killSilentHost, adopt, giveUp, take];

/**
 * What a member of a cluster decides: takes in what has happened and returns what is to be done. It does nothing itself, and has no clock
 * and no chance; `now` is in milliseconds, of a clock that never goes back. After it, `wakeAt` says when it is to be called again at the
 * latest.
 */
export function step(
  state: MemberState,
  event: MemberEvent,
  now: number,
  using: readonly Rule[] = rules,
): Command[] {
  const out: Command[] = [];
  state.wakeAt = Infinity;
  notice(state, event, now, out);
  for (const rule of using) rule(state, now, out);
  state.stepped = now;
  return out;
}

function notice(state: MemberState, event: MemberEvent, now: number, out: Command[]): void {
  const { asked, times } = state;
  switch (event.kind) {
    case 'tick':
      return;
    case 'joined':
      asked.join = false;
      state.answeredAt = now;
      state.lease = event.lease;
      state.joined = event.revision;
      state.renewAt = event.sent + times.renew;
      state.lookAt = now;
      state.settledAt = now + times.settle;
      state.registered = registrationOf(state.host);
      return open(state, event.sent, out);
    case 'renewed':
      asked.renew = false;
      state.answeredAt = now;
      if (event.lease === state.lease) renewed(state, event.sent, event.isKept, now, out);
      return;
    case 'looked':
      asked.look = false;
      state.answeredAt = now;
      look(state, event.seen, now, out);
      return register(state, out);
    case 'registered':
      asked.register = false;
      return;
    case 'failed':
      asked[event.request] = false;
      if (event.request === 'join') state.joinAt = now + times.again;
      return;
    case 'took':
      return took(state, event, now, out);
    case 'gave':
      return gave(state, event, now);
    case 'beat':
      if (state.heard !== undefined) state.heard = now;
      return;
    case 'host':
      state.heard = now;
      setHost(state, event.facts, now);
      return register(state, out);
    case 'stopped':
      return quiet(state, event.rights, now, out);
    case 'ended':
      return ended(state, event, now, out);
  }
}

function register(state: MemberState, out: Command[]): void {
  const { isReady, isDraining } = state.host;
  const registration = registrationOf(state.host);
  const { lease } = state;
  if (lease === undefined || state.asked.register || state.registered === registration) return;
  state.asked.register = true;
  state.registered = registration;
  out.push({ op: 'register', lease, isReady, isDraining });
}

function took(
  state: MemberState,
  { lease, rights, fence }: Extract<MemberEvent, { kind: 'took' }>,
  now: number,
  out: Command[],
): void {
  if (lease !== state.lease) return;
  const taken: Right[] = [];
  for (const right of rights) {
    state.taking.delete(right);
    // Whether it was done after all, and who else has it, says the next look.
    state.free.delete(right);
    if (fence === undefined) continue;
    // A look has shown it before this answer came, and it is given up already.
    if (state.giving.get(right)?.fence === fence) continue;
    state.giving.delete(right);
    if (state.owners.get(right)?.fence === fence) continue;
    setOwner(state, right, { member: state.name, lease, fence }, now, out);
    taken.push({ right, fence });
  }
  if (isOpen(state, now) && state.host.isReady && !state.isKilling && !state.isDoomed) own(state, taken, out);
  if (fence === undefined) state.lookAt = Math.min(state.lookAt, now + state.times.again);
}

function gave(state: MemberState, event: Extract<MemberEvent, { kind: 'gave' }>, now: number): void {
  if (event.isDone === true) {
    // It stays among what is given until a look shows that the key is gone: one that was read before would bring it back.
    state.lookAt = now;
    return;
  }
  for (const right of event.rights) {
    const giving = state.giving.get(right);
    if (giving === undefined) continue;
    giving.isAsked = false;
    giving.from = now + state.times.again;
  }
  state.isLookWhole = true;
}

function ended(
  state: MemberState,
  { isHost, areDead }: Extract<MemberEvent, { kind: 'ended' }>,
  now: number,
  out: Command[],
): void {
  state.isKilling = false;
  if (isHost) {
    state.heard = undefined;
    state.host = { ...state.host, isReady: false };
    for (const [right, fence] of state.owned)
      state.giving.set(right, { fence, from: undefined, isAsked: false });
    state.owned.clear();
  }
  quiet(state, state.giving.keys(), now, out);
  if (!areDead && state.lease !== undefined) doom(state, out);
}

/** These nodes are stopped or dead; what they have sent may be on its way, and the rest is dropped. */
function quiet(state: MemberState, rights: Iterable<number>, now: number, out: Command[]): void {
  const shut: number[] = [];
  for (const right of rights) {
    const giving = state.giving.get(right);
    if (giving === undefined || giving.from !== undefined) continue;
    giving.from = now + state.times.drain;
    shut.push(right);
  }
  if (shut.length > 0) out.push({ op: 'shut', rights: shut });
}
