import type { Candidate, Placement } from './placement.ts';

/** The right to change the configuration is kept as that of a node is; nodes have ids from 1 on. */
export const writer = 0;

/** What `gateway/NAME` says, and whose lease it has. */
export interface MemberEntry extends Candidate {
  readonly lease: string;
  /** Its runners can be started: it may take nodes. */
  readonly isReady: boolean;
  /** It gives its nodes to others, and takes none. */
  readonly isDraining: boolean;
  /** By the time that its lease has left, it was renewed within about the last second. */
  readonly isFresh: boolean;
}

/** What `owner/NODE` says. The fence is the create revision of the key. */
export interface OwnerEntry {
  readonly member: string;
  readonly lease: string;
  readonly fence: number;
}

/** What `last/NODE` says: who had the node last, and whether that gave it up, so that nothing of it is on its way any more. */
export interface LastEntry {
  readonly member: string;
  readonly lease: string;
  readonly isGiven: boolean;
}

/** What a member read in etcd, at one revision. */
export interface Seen {
  readonly revision: number;
  /** The number of the newest change of the configuration. */
  readonly head: number;
  /** All of them. */
  readonly members: readonly MemberEntry[];
  /** False: only what was put after the look before; the counts show whether something is gone. */
  readonly isWhole: boolean;
  readonly owners: ReadonlyMap<number, OwnerEntry>;
  readonly ownerCount: number;
  readonly last: ReadonlyMap<number, LastEntry>;
  /** The gateways to which nodes are to move. */
  readonly wants: ReadonlyMap<number, string>;
  readonly wantCount: number;
}

/** A node that is to run, as the configuration has it. */
export interface ClusterNode {
  readonly id: number;
  /** See `affinitiesOf`. */
  readonly affinity: number;
  readonly placement: Placement;
}

export interface HostFacts {
  readonly isReady: boolean;
  readonly isDraining: boolean;
  /** The number of the last change of the configuration that this gateway runs with. */
  readonly applied: number;
  readonly nodes: readonly ClusterNode[];
}

/** What has happened. `sent` is the moment before a request was sent. */
export type MemberEvent =
  | { readonly kind: 'tick' }
  /** `gateway/NAME` was made with a new lease, after none was there. */
  | { readonly kind: 'joined'; readonly sent: number; readonly lease: string; readonly revision: number }
  | { readonly kind: 'renewed'; readonly sent: number; readonly lease: string; readonly isKept: boolean }
  | { readonly kind: 'looked'; readonly seen: Seen }
  /** No answer, or a refusal; for a join also that the name is taken. What was asked may be done, or be done later. */
  | { readonly kind: 'failed'; readonly request: 'join' | 'renew' | 'look' | 'register' }
  | { readonly kind: 'registered' }
  /** Done: the revision, which is the fence of all of them. Undefined: refused, or no answer. */
  | {
      readonly kind: 'took';
      readonly lease: string;
      readonly rights: readonly number[];
      readonly fence: number | undefined;
    }
  /** `isDone` undefined: no answer; false: one of the keys was not as expected. */
  | { readonly kind: 'gave'; readonly rights: readonly number[]; readonly isDone: boolean | undefined }
  | { readonly kind: 'beat' }
  | { readonly kind: 'host'; readonly facts: HostFacts }
  /** Nothing of these nodes is sent any more. */
  | { readonly kind: 'stopped'; readonly rights: readonly number[] }
  /** The runners of drivers are gone; the host, too, with `isHost`. `areDead` false: one of them does not end. */
  | { readonly kind: 'ended'; readonly isHost: boolean; readonly areDead: boolean };

export interface Right {
  readonly right: number;
  readonly fence: number;
}

/** What is to be done. Every request to etcd is answered by an event, if by `failed`. */
export type Command =
  /** `gateway/NAME` is to be made with a new lease, and to say this. */
  | { readonly op: 'join'; readonly isReady: boolean; readonly isDraining: boolean }
  | { readonly op: 'renew'; readonly lease: string }
  | { readonly op: 'look'; readonly isWhole: boolean }
  /** The value of `gateway/NAME` is to say this. */
  | {
      readonly op: 'register';
      readonly lease: string;
      readonly isReady: boolean;
      readonly isDraining: boolean;
    }
  /**
   * In one transaction: that `gateway/NAME` is this lease's and that the owner keys are absent is its condition; the owner keys are put under
   * the lease, `last/NODE` with them, and `want/NODE` is deleted.
   */
  | { readonly op: 'take'; readonly lease: string; readonly rights: readonly number[] }
  /** In one transaction: that the keys have these fences is its condition; they are deleted, and `last/NODE` says that they were given. */
  | { readonly op: 'give'; readonly lease: string; readonly rights: readonly Right[] }
  /** Devices may be sent something until then, by the clock of `now`; 0: nothing from now on. */
  | { readonly op: 'open'; readonly until: number }
  /** Opens the gate for these nodes, and runs them. */
  | { readonly op: 'start'; readonly rights: readonly Right[] }
  /** Ends these nodes, and resets their connections. */
  | { readonly op: 'stop'; readonly rights: readonly number[] }
  /**
   * Shuts the gate in the kernel for these nodes, of which nothing runs any more, and ends the connections that it still has of them: what a
   * process that was killed has left there would go on its way when the gate is opened again.
   */
  | { readonly op: 'shut'; readonly rights: readonly number[] }
  /** Ends the runners of drivers, and with `isHost` the host, at once, and with them the connections that the kernel still has. */
  | { readonly op: 'kill'; readonly isHost: boolean; readonly reason: string }
  /** The node changed hands too often. */
  | { readonly op: 'alarm'; readonly right: number };
