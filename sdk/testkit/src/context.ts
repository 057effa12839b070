import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Context,
  Driver,
  DriverContext,
  DriverDefinition,
  FrameSource,
  LinkReport,
  LinkState,
  ListeningPlace,
} from '@tagway/sdk';

/** What a driver has reported to its context, and the controls of its clock. */
export interface ContextRecord {
  readonly links: { readonly state: LinkState; readonly report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly rtts: number[];
  /** Where it takes connections. */
  places: readonly ListeningPlace[];
  /** Connections whose frames can be traced. */
  readonly sources: Set<FrameSource>;
  /** All lines of its log. */
  readonly logs: string[];
  /** The lines above the level `debug`. */
  readonly notices: string[];
  /** Aborts the signal of the context. */
  readonly controller: AbortController;
  /** Milliseconds that are added to the time that the driver sees. */
  clockOffset: number;
  /** Limits every sleep and timer of the driver, such as the pause before the next attempt to connect, to 50 ms. */
  shortWaits: boolean;
  /** Every sleep of the driver is shortened by this factor. */
  sleepSpeed: number;
}

/** The states that the link went through. */
export function statesOf({ links }: ContextRecord): LinkState[] {
  return links.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]);
}

/** Parts of a context that a test replaces. */
export type ContextOverrides<Settings = unknown> =
  Partial<DriverContext<Settings>> | ((record: ContextRecord) => Partial<DriverContext<Settings>>);

/** A fake context for one run of a driver, and the record of what the driver reports to it. */
export function contextFor<Settings>(
  settings: Settings,
  overrides: ContextOverrides<Settings> = {},
): { context: DriverContext<Settings>; record: ContextRecord } {
  const record: ContextRecord = {
    links: [],
    counts: new Map(),
    rtts: [],
    places: [],
    sources: new Set(),
    logs: [],
    notices: [],
    controller: new AbortController(),
    clockOffset: 0,
    shortWaits: false,
    sleepSpeed: 1,
  };
  const debug = (message: string): void => void record.logs.push(message);
  const log = (message: string): void => {
    debug(message);
    record.notices.push(message);
  };
  const waitOf = (ms: number): number => (record.shortWaits ? Math.min(ms, 50) : ms);
  const context: DriverContext<Settings> = {
    node: 'plant',
    settings,
    log: { debug, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.clockOffset,
      monotonic: () => performance.now() + record.clockOffset,
      sleep: (ms, signal) =>
        sleep(waitOf(ms) / record.sleepSpeed, undefined, signal === undefined ? {} : { signal }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, waitOf(ms));
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: '/nonexistent',
    signal: record.controller.signal,
    link: (state, report = {}) => void record.links.push({ state, report }),
    rtt: (ms) => void record.rtts.push(ms),
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: () => undefined,
    listens: (places) => void (record.places = places),
    traceable: (source) => {
      record.sources.add(source);
      return { [Symbol.dispose]: () => void record.sources.delete(source) };
    },
    maySend: () => true,
    guard: () => undefined,
    exclusive: fakeExclusive(),
    sequence: fakeSequence(),
    store: fakeStore(),
    write: (writes) => Promise.resolve(writes.map(() => undefined)),
    ...(typeof overrides === 'function' ? overrides(record) : overrides),
  };
  return { context, record };
}

/** A fake of `Context.sequence` in memory. */
export function fakeSequence(): Context['sequence'] {
  const last = new Map<string, number>();
  return (name, least = 1) => {
    const next = Math.max((last.get(name) ?? -1) + 1, least);
    last.set(name, next);
    return Promise.resolve(next);
  };
}

/** A fake of `Context.store` in memory. */
export function fakeStore(): Context['store'] {
  const texts = new Map<string, string>();
  return {
    read: () => Promise.resolve(new Map(texts)),
    write: (entries) => {
      for (const [key, text] of entries)
        if (text === undefined) texts.delete(key);
        else texts.set(key, text);
      return Promise.resolve();
    },
  };
}

/** A fake of `Context.exclusive` that runs the work of a key one after another, as the runner does. */
export function fakeExclusive(): Context['exclusive'] {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const done = (tails.get(key) ?? Promise.resolve()).then(work);
    tails.set(
      key,
      done.catch(() => undefined),
    );
    return done;
  };
}

/** The definition that a plugin was made from. */
export function definitionOf<Settings>(plugin: object): DriverDefinition<Settings> & {
  create(context: Context<Settings>): Driver;
} {
  return plugin as DriverDefinition<Settings>;
}
