/**
 * Two gateways, one plant: one of them is active, holds the lease and polls; the other is the standby and sends nothing to any device.
 * A gateway without a pair is always active, and loads nothing of this folder.
 */

/** The holder of the lease, as it describes itself. */
export interface Holder {
  /** The name that tells the two gateways of a pair apart: `--name`. */
  readonly name: string;
  /** Where its API answers for clients, such as `http://10.0.0.5:7000`. */
  readonly url: string;
}

/** A lease that this gateway has. */
export interface Held {
  /** The create revision of the lease's key, which grows with every holder. Decimal digits. */
  readonly fence: string;
}

/** The majority of the members of etcd does not answer. */
export class Unreachable extends Error {
  /** What each member did that was asked, without a full stop at its end. */
  readonly reasons: string;

  constructor(reasons: string) {
    super(`etcd does not answer: ${reasons}.`);
    this.reasons = reasons;
  }
}

/** This gateway does not hold the lease any more: the change was not made. */
export class LeaseLost extends Error {}

export type Role = 'active' | 'standby';

/** The last change of the active gateway that this one knows of. */
export interface Switch {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly from: string;
  readonly to: string;
  /** One sentence. */
  readonly reason: string;
}

/** State of the pair as the agent sees it. */
export interface PairView {
  readonly role: Role;
  /** Why it is this role: one sentence. */
  readonly reason: string;
  /** Undefined: the lease is free, or the majority does not answer. */
  readonly holder: (Holder & Held) | undefined;
  /** At the holder: milliseconds since its last successful renewal; at the standby: since it saw a holder last. */
  readonly leaseAge: number | undefined;
  /** The majority of etcd's members answers. */
  readonly reachable: boolean;
  /** Why etcd does not answer, or answers and does not do what this gateway asks: one sentence. */
  readonly problem: string | undefined;
  readonly lastSwitch: Switch | undefined;
}

/** Messages of the agent, which holds the lease and is the parent of the host, to the host. */
export type FromAgent =
  /** Every half second, and at once when it changed. */
  | { readonly op: 'view'; readonly view: PairView }
  /** This gateway has the lease: the host takes over what the configuration log still holds, starts all nodes and answers `active`. */
  | { readonly op: 'promote'; readonly fence: string }
  /** This gateway must not poll any more: the host ends in an orderly way, and the agent starts it again as a standby. */
  | { readonly op: 'demote'; readonly reason: string };

/** Messages of the host to the agent. */
export type FromHost =
  /** Every 250 ms; an agent that hears nothing for 2 s ends the host and its runners, and gives the lease back. */
  | { readonly op: 'beat' }
  /** The API answers, and the configuration is up to date as far as it could be read: from here on the lease may be taken. */
  | { readonly op: 'ready'; readonly url: string }
  | { readonly op: 'active' }
  /** A runner was started, or is gone. */
  | { readonly op: 'runner'; readonly pid: number; readonly kind: 'driver' | 'app' }
  | { readonly op: 'gone'; readonly pid: number }
  /** An operator asked for a hand-over and no driver runs any more: the lease is to be given to the other gateway. */
  | { readonly op: 'hand-over'; readonly reason: string };

/** The host's end of the channel to its agent. Without a pair there is none. */
export interface PairLink {
  /** Undefined until the agent has sent one. */
  readonly view: PairView | undefined;
  /** Path of the deadline file, for runners of drivers. */
  readonly deadlineFile: string;
  on(event: 'promote', listener: (fence: string) => void): unknown;
  on(event: 'demote', listener: (reason: string) => void): unknown;
  on(event: 'view', listener: (view: PairView) => void): unknown;
  ready(url: string): void;
  active(): void;
  runner(pid: number, kind: 'driver' | 'app'): void;
  gone(pid: number): void;
  handOver(reason: string): void;
}
