import type { ClusterNode, HostFacts, LastEntry, MemberEntry, OwnerEntry } from './member-events.ts';
import { writer } from './member-events.ts';
import type { Times } from './times.ts';

/** A node that nobody has, as far as this member has seen. */
export interface Free {
  /** When that was seen first. */
  readonly since: number;
  /** The configuration that a gateway must run with to take it. */
  readonly head: number;
}

/** A node that this member is giving up. Under this fence it never sends anything again. */
interface Giving {
  readonly fence: number;
  /** From then on its key may be deleted; undefined: it is not stopped yet. */
  from: number | undefined;
  isAsked: boolean;
}

/** What one member knows and is doing. `step` alone changes it. */
export interface MemberState {
  readonly name: string;
  readonly times: Times;
  lease: string | undefined;
  /** The revision of etcd at which it joined: a look from before knows nothing of this lease. */
  joined: number;
  /** When it lost a lease, or was started: what it had before may be on its way. */
  lostAt: number;
  /** When it has seen last what is free. */
  lookedAt: number;
  /** When etcd has answered last. */
  answeredAt: number;
  /** Until when its nodes may send. */
  deadline: number;
  /** Requests that are under way. */
  readonly asked: { join: boolean; renew: boolean; look: boolean; register: boolean };
  joinAt: number;
  renewAt: number;
  lookAt: number;
  /** The next look has to read everything. */
  isLookWhole: boolean;
  /** The runners of drivers, or the host, are being killed. */
  isKilling: boolean;
  /** A runner does not end: the lease is not renewed, and nothing is given up before it ends by itself. */
  isDoomed: boolean;
  /** Undefined while no host runs. */
  heard: number | undefined;
  host: HostFacts;
  /** The nodes that are to run, and the right to write. */
  nodes: ReadonlyMap<number, ClusterNode>;
  affinities: ReadonlyMap<number, readonly number[]>;
  /** What etcd has of this member. */
  registered: string | undefined;
  /** As etcd had it with the last look, and with what this member was answered since. */
  members: readonly MemberEntry[];
  head: number;
  readonly owners: Map<number, OwnerEntry>;
  readonly last: Map<number, LastEntry>;
  readonly wants: Map<number, string>;
  readonly free: Map<number, Free>;
  /** When a lease was seen last that had just been renewed. */
  readonly fresh: Map<string, number>;
  /** When nodes changed hands. */
  readonly hands: Map<number, number[]>;
  readonly alarmed: Set<number>;
  /** What runs here, with its fence. */
  readonly owned: Map<number, number>;
  readonly giving: Map<number, Giving>;
  readonly taking: Set<number>;
  /** Since when nodes are this member's in etcd that it cannot run. */
  idleSince: number | undefined;
  /** From then on it takes nodes that others had before. */
  settledAt: number;
  /** When the step before this one was. */
  stepped: number;
  /** When the next tick is due at the latest. */
  wakeAt: number;
}

const writerNode: ClusterNode = { id: writer, affinity: writer, placement: {} };

export function newMember(name: string, times: Times, now: number): MemberState {
  const state: MemberState = {
    name,
    times,
    lease: undefined,
    joined: 0,
    lostAt: now,
    lookedAt: -Infinity,
    answeredAt: now,
    deadline: -Infinity,
    asked: { join: false, renew: false, look: false, register: false },
    joinAt: now,
    renewAt: now,
    lookAt: now,
    isLookWhole: true,
    isKilling: false,
    isDoomed: false,
    heard: undefined,
    host: { isReady: false, isDraining: false, applied: -1, nodes: [] },
    nodes: new Map(),
    affinities: new Map(),
    registered: undefined,
    members: [],
    head: 0,
    owners: new Map(),
    last: new Map(),
    wants: new Map(),
    free: new Map(),
    fresh: new Map(),
    hands: new Map(),
    alarmed: new Set(),
    owned: new Map(),
    giving: new Map(),
    taking: new Set(),
    idleSince: undefined,
    settledAt: now,
    stepped: now,
    wakeAt: now,
  };
  setHost(state, state.host, now);
  return state;
}

/** The host has said how it is. */
export function setHost(state: MemberState, facts: HostFacts, now: number): void {
  if (facts.isReady && !state.host.isReady) state.settledAt = now + state.times.settle;
  if (facts.nodes !== state.host.nodes || state.nodes.size === 0) {
    const all = [writerNode, ...facts.nodes];
    state.nodes = new Map(all.map((node) => [node.id, node]));
    const affinities = new Map<number, number[]>();
    for (const { id, affinity } of all) {
      const rights = affinities.get(affinity);
      if (rights === undefined) affinities.set(affinity, [id]);
      else rights.push(id);
    }
    state.affinities = affinities;
    for (const right of state.free.keys()) if (!state.nodes.has(right)) state.free.delete(right);
  }
  state.host = facts;
}

/** Rule 1, together with `owned`: what runs here may send. */
export const isOpen = (state: MemberState, now: number): boolean => now < state.deadline;

export function wake(state: MemberState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
