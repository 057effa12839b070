import type { Command } from './member-events.ts';
import { isOpen, type MemberState, wake } from './member-state.ts';

/** Steps that are further apart than this mean that the agent itself was stopped: messages of its host may wait. */
const blocked = 750;

/** Joins, renews the one lease and looks at what is new. */
export function keepLease(state: MemberState, now: number, out: Command[]): void {
  const { asked, times, lease } = state;
  if (lease === undefined) {
    if (asked.join || state.isKilling) return;
    if (now < state.joinAt) return wake(state, state.joinAt);
    asked.join = true;
    out.push({ op: 'join', isReady: state.host.isReady, isDraining: state.host.isDraining });
    return;
  }
  const isInDoubt = now >= state.answeredAt + times.doubt;
  if (!asked.renew && !state.isDoomed && !isInDoubt) {
    if (now >= state.renewAt) {
      asked.renew = true;
      state.renewAt = now + times.renew;
      out.push({ op: 'renew', lease });
    } else wake(state, state.renewAt);
  }
  if (asked.look) return;
  if (now < state.lookAt) return wake(state, state.lookAt);
  asked.look = true;
  state.lookAt = now + times.look;
  // Whether etcd answers at all is not to depend on an answer that may be large.
  out.push({ op: 'look', isWhole: state.isLookWhole && !isInDoubt });
}

/** Rule 2, the part of the agent: what may still live of the runners after the deadline is killed. */
export function killAtDeadline(state: MemberState, now: number, out: Command[]): void {
  const { times, deadline } = state;
  if (state.isKilling || !runsAnything(state) || state.lease === undefined) return;
  const at = deadline - times.deadline + times.kill;
  if (now < at) return wake(state, at);
  kill(state, out, `The lease could not be renewed for ${times.kill / 1000} s, so polling has stopped.`);
}

/** Rule 4, for a host that fell silent: it and its runners are killed, and then all its nodes are given back. */
export function killSilentHost(state: MemberState, now: number, out: Command[]): void {
  const { times } = state;
  if (state.heard === undefined || state.isKilling) return;
  if (now - state.stepped > blocked) state.heard = now;
  const at = state.heard + times.silence;
  if (now < at) return wake(state, at);
  state.isKilling = true;
  state.heard = undefined;
  state.host = { ...state.host, isReady: false };
  const reason = `The host of the gateway "${state.name}" did not answer for ${times.silence / 1000} s and was killed.`;
  out.push({ op: 'kill', isHost: true, reason });
}

export function renewed(
  state: MemberState,
  sent: number,
  isKept: boolean,
  now: number,
  out: Command[],
): void {
  if (state.isDoomed) return;
  if (!isKept) return lose(state, now, out, 'The lease ended, because it was not renewed in time.');
  // What this member still has is looked at anew: it may have lost its runners at the deadline.
  if (!isOpen(state, now)) state.lookAt = now;
  open(state, sent, out);
}

/** The deadline is counted from the moment before the request was sent, whenever its answer came. */
export function open(state: MemberState, sent: number, out: Command[]): void {
  state.deadline = Math.max(state.deadline, sent + state.times.deadline);
  out.push({ op: 'open', until: state.deadline });
}

/** The lease is gone, and with it every node: all of that ends at once, and the member joins again. */
export function lose(state: MemberState, now: number, out: Command[], reason: string): void {
  state.lease = undefined;
  state.lostAt = now;
  state.deadline = -Infinity;
  out.push({ op: 'open', until: 0 });
  if (runsAnything(state) && !state.isKilling) kill(state, out, reason);
  state.owned.clear();
  state.giving.clear();
  state.taking.clear();
  state.registered = undefined;
  state.isDoomed = false;
  state.isLookWhole = true;
  state.joinAt = now;
}

/** A runner does not end: from here on the lease is not renewed, and ends by itself. */
export function doom(state: MemberState, out: Command[]): void {
  state.isDoomed = true;
  state.deadline = -Infinity;
  out.push({ op: 'open', until: 0 });
}

function kill(state: MemberState, out: Command[], reason: string): void {
  state.isKilling = true;
  state.owned.clear();
  out.push({ op: 'kill', isHost: false, reason });
}

function runsAnything({ owned, giving }: MemberState): boolean {
  if (owned.size > 0) return true;
  for (const { from } of giving.values()) if (from === undefined) return true;
  return false;
}
