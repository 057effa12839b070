import type { NodeStateRecord } from '@tagway/schemas';
import { reachability } from '../api/reachability.ts';
import { session } from '../api/session.ts';
import { groupKey } from './hub-cache.ts';
import { inLanguage } from '../texts/refusals.ts';
import type { Connection, Demand, HubMessage, TagValue, TabMessage } from './messages.ts';

/** A value of a tag, and when it arrived by this computer's clock. It is the newest value of its tag. */
export interface ReceivedValue extends TagValue {
  readonly at: number;
  /** Since when it is as it is, by this computer's clock. */
  readonly from: number;
  /** It may have been so before `from`. */
  readonly isAtLeast: boolean;
}

/** The newest values of a group, by tag. */
export interface GroupValues {
  /** When the gateway sent them, in milliseconds since 1970 by its clock. */
  readonly time: number;
  /** When they arrived, by this computer's clock. Ages are counted from this time, because the clocks may differ. */
  readonly at: number;
  readonly tagValues: ReadonlyMap<string, ReceivedValue>;
  /** Why there is no such group; undefined when there is. */
  readonly missing?: string;
}

export interface FeedState {
  readonly connection: Connection;
  /** Undefined before the first ones arrive. */
  readonly states: ReadonlyMap<string, NodeStateRecord> | undefined;
  readonly values: ReadonlyMap<string, GroupValues>;
}

/** Longest pause in ms between two messages about a group; after a longer one a value may have changed and changed back. */
const longestPause = 10_000;

/** Least pause in ms between two messages with demands: scrolling changes them often. The first one is sent at once. */
const demandPause = 350;

/**
 * The states and values that this tab has received from the hub. All messages that arrive before the browser draws the next frame are
 * applied together.
 */
export class Feed {
  #state: FeedState = {
    connection: { state: 'connecting', since: Date.now() },
    states: undefined,
    values: new Map(),
  };
  readonly #listeners = new Set<() => void>();
  readonly #demands = new Map<symbol, readonly Demand[]>();
  #queue: HubMessage[] = [];
  #port: MessagePort | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When demands were sent last, by the clock of the page. */
  #sentAt = -Infinity;

  /** Opens the port to the hub and sends it the session at every login and logout. */
  start(open: () => MessagePort): void {
    const port = (this.#port ??= open());
    port.onmessage = ({ data }: MessageEvent<HubMessage>) => this.#receive(data);
    const sendSession = (): void =>
      this.#send({ kind: 'session', base: new URL('.', document.baseURI).href, token: session.get()?.token });
    sendSession();
    session.watch(sendSession);
    addEventListener('pagehide', () => this.#send({ kind: 'bye' }));
    // The page comes back from the browser's cache, and the hub has removed this tab.
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) location.reload();
    });
  }

  readonly get = (): FeedState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Requests values until the returned function is called. */
  want(demands: readonly Demand[]): () => void {
    const key = Symbol();
    this.#demands.set(key, demands);
    this.#demandsChanged();
    return () => {
      this.#demands.delete(key);
      this.#demandsChanged();
    };
  }

  #demandsChanged(): void {
    const wait = Math.max(0, this.#sentAt + demandPause - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sentAt = performance.now();
      const demands = [...this.#demands.values()].flat();
      this.#send({ kind: 'demand', demands });
      this.#dropOthers(demands);
    }, wait);
  }

  /** Drops groups that nothing shows any more: their values are no longer updated. */
  #dropOthers(demands: readonly Demand[]): void {
    const wanted = new Set(demands.map(({ node, group }) => groupKey(node, group)));
    const { connection, states, values } = this.#state;
    const kept = new Map([...values].filter(([key]) => wanted.has(key)));
    if (kept.size < values.size) this.#state = { connection, states, values: kept };
  }

  #send(message: TabMessage): void {
    this.#port?.postMessage(message);
  }

  #receive(message: HubMessage): void {
    if (message.kind === 'refused') return session.expire(message.token);
    if (message.kind === 'connection') reachability.set(message.connection.state !== 'lost');
    this.#queue.push(message);
    if (this.#queue.length > 1) return;
    // A tab in the background draws no frames; a timer keeps its queue of messages short.
    if (document.visibilityState === 'visible') requestAnimationFrame(() => this.#commit());
    else setTimeout(() => this.#commit(), 1000);
  }

  #commit(): void {
    let { connection, states, values } = this.#state;
    for (const message of this.#queue) {
      if (message.kind === 'connection') ({ connection } = message);
      else if (message.kind === 'states') states = withStates(states, message);
      else if (message.kind !== 'refused') values = withValues(values, message);
    }
    this.#queue = [];
    this.#state = { connection, states, values };
    for (const listener of this.#listeners) listener();
  }
}

function withStates(
  known: FeedState['states'],
  { full, states, gone }: HubMessage & { kind: 'states' },
): Map<string, NodeStateRecord> {
  const next = new Map(full ? [] : known);
  for (const state of states) next.set(state.node, state);
  for (const name of gone) next.delete(name);
  return next;
}

function withValues(
  known: FeedState['values'],
  message: HubMessage & { kind: 'values' | 'group' },
): Map<string, GroupValues> {
  const key = groupKey(message.node, message.group);
  const before = known.get(key);
  const at = Date.now();
  const next = new Map(known);
  if (message.kind === 'group') {
    next.set(key, { time: 0, at, tagValues: new Map(), missing: inLanguage(message).message });
    return next;
  }
  const tagValues = new Map(message.full ? [] : before?.tagValues);
  // A full message repeats values; one that has not changed keeps its age.
  const same =
    message.full && before !== undefined && at - before.at < longestPause ? before.tagValues : undefined;
  for (const tagValue of message.tags) {
    const known = same?.get(tagValue.name);
    tagValues.set(
      tagValue.name,
      known !== undefined && isSame(known, tagValue)
        ? known
        : { ...tagValue, at, ...ageOf(tagValue, message, before === undefined || message.full, at) },
    );
  }
  next.set(key, { time: message.time, at, tagValues });
  return next;
}

/** What the gateway says of the age of a value; where it says nothing, a value that came with all others is as old as that at least. */
function ageOf(
  { since, at_least: isAtLeast = false }: TagValue,
  { ahead }: { readonly ahead?: number },
  isFirst: boolean,
  at: number,
): Pick<ReceivedValue, 'from' | 'isAtLeast'> {
  return since === undefined || ahead === undefined
    ? { from: at, isAtLeast: isFirst }
    : { from: Math.min(at, since - ahead), isAtLeast };
}

const isSame = (a: TagValue, b: TagValue): boolean =>
  a.since === b.since &&
  a.error === b.error &&
  a.message === b.message &&
  (Object.is(a.value, b.value) ||
    (typeof a.value === 'object' && JSON.stringify(a.value) === JSON.stringify(b.value)));

export const feed = new Feed();
