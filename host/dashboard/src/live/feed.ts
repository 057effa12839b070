import type { NodeStateRecord } from '@tagway/schemas';
import { reach } from '../api/reach.ts';
import { session } from '../api/session.ts';
import { groupKey } from './known.ts';
import type { Connection, Demand, HubMessage, Reading, TabMessage } from './messages.ts';

/** A reading, and when it came here by this computer's clock: since then nothing else has been told of its tag. */
export interface SeenReading extends Reading {
  readonly at: number;
}

/** The newest values of a group, by tag. */
export interface GroupValues {
  /** When the gateway had them, in milliseconds since 1970 by its clock. */
  readonly time: number;
  /** When they came here, by this computer's clock: ages are counted from it, for the clocks may differ. */
  readonly at: number;
  readonly readings: ReadonlyMap<string, SeenReading>;
  /** Why there is no such group; undefined when there is. */
  readonly missing?: string;
}

export interface Snapshot {
  readonly connection: Connection;
  /** Undefined until they came first. */
  readonly states: ReadonlyMap<string, NodeStateRecord> | undefined;
  readonly values: ReadonlyMap<string, GroupValues>;
}

/** Milliseconds in which a group is told of at least; after a longer gap nobody knows whether a value was another one meanwhile. */
const gap = 10_000;

/** Milliseconds that demands are gathered for: scrolling changes them often. */
const settle = 350;

/**
 * What this tab knows of the gateway's states and values, kept up to date by the hub. Everything that came is shown at once
 * with the next picture that the browser draws, never more often.
 */
export class Feed {
  #snapshot: Snapshot = {
    connection: { state: 'connecting', since: Date.now() },
    states: undefined,
    values: new Map(),
  };
  readonly #listeners = new Set<() => void>();
  readonly #demands = new Map<symbol, readonly Demand[]>();
  #waiting: HubMessage[] = [];
  #port: MessagePort | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Begins to listen when somebody is logged in, and follows logins and logouts. */
  start(open: () => MessagePort): void {
    const port = (this.#port ??= open());
    port.onmessage = ({ data }: MessageEvent<HubMessage>) => this.#take(data);
    const tellSession = (): void =>
      this.#send({ kind: 'session', base: new URL('.', document.baseURI).href, token: session.get()?.token });
    tellSession();
    session.watch(tellSession);
    addEventListener('pagehide', () => this.#send({ kind: 'bye' }));
    // Back out of the browser's cache: the hub has forgotten this tab.
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) location.reload();
    });
  }

  readonly get = (): Snapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Values that are wanted until the function that comes back is called. */
  want(demands: readonly Demand[]): () => void {
    const key = Symbol();
    this.#demands.set(key, demands);
    this.#changed();
    return () => {
      this.#demands.delete(key);
      this.#changed();
    };
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const demands = [...this.#demands.values()].flat();
      this.#send({ kind: 'demand', demands });
      this.#forgetOthers(demands);
    }, settle);
  }

  /** What is not wanted is not told of any more, so it would be old when it is looked at again. */
  #forgetOthers(demands: readonly Demand[]): void {
    const wanted = new Set(demands.map(({ node, group }) => groupKey(node, group)));
    const { connection, states, values } = this.#snapshot;
    const kept = new Map([...values].filter(([key]) => wanted.has(key)));
    if (kept.size < values.size) this.#snapshot = { connection, states, values: kept };
  }

  #send(message: TabMessage): void {
    this.#port?.postMessage(message);
  }

  #take(message: HubMessage): void {
    if (message.kind === 'refused') return session.expire(message.token);
    if (message.kind === 'connection') reach.set(message.connection.state !== 'lost');
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    // A tab in the background draws nothing, and shall not gather messages for days.
    if (document.visibilityState === 'visible') requestAnimationFrame(() => this.#commit());
    else setTimeout(() => this.#commit(), 1000);
  }

  #commit(): void {
    let { connection, states, values } = this.#snapshot;
    for (const message of this.#waiting) {
      if (message.kind === 'connection') ({ connection } = message);
      else if (message.kind === 'states') states = withStates(states, message);
      else if (message.kind !== 'refused') values = withValues(values, message);
    }
    this.#waiting = [];
    this.#snapshot = { connection, states, values };
    for (const listener of this.#listeners) listener();
  }
}

function withStates(
  known: Snapshot['states'],
  { full, states, gone }: HubMessage & { kind: 'states' },
): Map<string, NodeStateRecord> {
  const next = new Map(full ? [] : known);
  for (const state of states) next.set(state.node, state);
  for (const name of gone) next.delete(name);
  return next;
}

function withValues(
  known: Snapshot['values'],
  message: HubMessage & { kind: 'values' | 'group' },
): Map<string, GroupValues> {
  const key = groupKey(message.node, message.group);
  const before = known.get(key);
  const at = Date.now();
  const next = new Map(known);
  if (message.kind === 'group') {
    next.set(key, { time: 0, at, readings: new Map(), missing: message.message });
    return next;
  }
  const readings = new Map(message.full ? [] : before?.readings);
  // What is told once more and has not changed is as old as it was.
  const same = message.full && before !== undefined && at - before.at < gap ? before.readings : undefined;
  for (const reading of message.tags) {
    const known = same?.get(reading.name);
    readings.set(reading.name, known !== undefined && isSame(known, reading) ? known : { ...reading, at });
  }
  next.set(key, { time: message.time, at, readings });
  return next;
}

const isSame = (a: Reading, b: Reading): boolean =>
  a.error === b.error &&
  a.message === b.message &&
  (Object.is(a.value, b.value) ||
    (typeof a.value === 'object' && JSON.stringify(a.value) === JSON.stringify(b.value)));

export const feed = new Feed();
