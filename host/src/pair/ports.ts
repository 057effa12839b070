/**
 * Two gateways, one plant: one of them is active, holds the lease and polls; the other is the standby and sends nothing to any device.
 * A gateway without a pair is always active, and none of this runs in it.
 */

/** Who holds the lease, as it says of itself. */
export interface Holder {
  /** The name that tells the two gateways of a pair apart: `--name`. */
  readonly name: string;
  /** Where its API answers for clients, such as `http://10.0.0.5:7000`. */
  readonly url: string;
}

/** A lease that this gateway has. */
export interface Held {
  /** Grows with every holder: the create revision of the lease's key. Decimal digits. */
  readonly fence: string;
}

/**
 * The right to poll, which one gateway of a pair has at a time. The embedded default is always free to take and never lost; etcd's is lost
 * when it was not renewed for its time to live. All times are of `process.hrtime`, which processes of a machine share.
 */
export interface Lease {
  /** Takes the lease when it is free; undefined when another has it. Rejects with `Unreachable`, and what happened is not known then. */
  take(holder: Holder): Promise<Held | undefined>;
  /** Renews the lease that this gateway has. False: it is lost. Rejects with `Unreachable`: it may be kept or lost. */
  renew(): Promise<boolean>;
  /** Gives the lease back; nothing happens when it is lost already. `reason` is a sentence for the other gateway. Rejects with `Unreachable`. */
  release(reason: string): Promise<void>;
  /** Who has it; undefined when it is free. Rejects with `Unreachable`. */
  holder(): Promise<(Holder & Held) | undefined>;
}

/** The majority of the members of etcd does not answer. */
export class Unreachable extends Error {}

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

/** How the pair is, as the agent sees it. */
export interface PairView {
  readonly role: Role;
  /** Why it is this role: one sentence. */
  readonly reason: string;
  /** Undefined: nobody has the lease, or the majority does not answer and nobody can tell. */
  readonly holder: (Holder & Held) | undefined;
  /** Milliseconds since the last renewal that succeeded, of the holder; since the holder was seen last, of the standby. */
  readonly leaseAge: number | undefined;
  /** The majority of etcd's members answers. */
  readonly reachable: boolean;
  readonly lastSwitch: Switch | undefined;
}

/** What the agent, which holds the lease and is the parent of the host, tells the host. */
export type FromAgent =
  /** Every half second, and at once when it changed. */
  | { readonly op: 'view'; readonly view: PairView }
  /** This gateway has the lease: the host takes over what the configuration log still holds, starts all nodes and answers `active`. */
  | { readonly op: 'promote'; readonly fence: string }
  /** This gateway must not poll any more: the host ends everything in an orderly way and exits; the agent starts it anew as a standby. */
  | { readonly op: 'demote'; readonly reason: string };

/** What the host tells the agent. */
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

/** The host's side of the line to its agent. Without a pair there is none. */
export interface PairLink {
  /** Undefined until the agent has told. */
  readonly view: PairView | undefined;
  /** Where the agent writes until when devices may be sent anything; for runners of drivers. */
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
