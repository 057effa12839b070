import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Driver, DriverDefinition, LinkReport, LinkState } from '@tagway/sdk';

/** What a driver has told its context, and what its clock does. */
export interface Record {
  readonly links: { readonly state: LinkState; readonly report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly rtts: number[];
  /** All lines of its log. */
  readonly logs: string[];
  /** Those of them that are more than details for debugging. */
  readonly notices: string[];
  /** Its signal is the context's. */
  readonly run: AbortController;
  /** Added to the time that the driver sees. */
  later: number;
  /** Makes what the driver waits for, such as the next attempt to connect, come within 50 ms. */
  hurry: boolean;
  /** How many times faster than real the pauses that it sleeps through pass. */
  haste: number;
}

/** The states that the link went through. */
export function statesOf({ links }: Record): LinkState[] {
  return links.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]);
}

/** Parts of a context that are a test's own. */
export type Given<Settings = unknown> =
  Partial<Context<Settings>> | ((record: Record) => Partial<Context<Settings>>);

/** A context of one run, and what the driver tells it. What is given stands in place of its parts. */
export function contextFor<Settings>(
  settings: Settings,
  given: Given<Settings> = {},
): { context: Context<Settings>; record: Record } {
  const record: Record = {
    ...{ links: [], counts: new Map(), rtts: [], logs: [], notices: [] },
    ...{ run: new AbortController(), later: 0, hurry: false, haste: 1 },
  };
  const debug = (message: string): void => void record.logs.push(message);
  const log = (message: string): void => {
    debug(message);
    record.notices.push(message);
  };
  const waitOf = (ms: number): number => (record.hurry ? Math.min(ms, 50) : ms);
  const context: Context<Settings> = {
    node: 'plant',
    settings,
    log: { debug, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now() + record.later,
      sleep: (ms, signal) =>
        sleep(waitOf(ms) / record.haste, undefined, signal === undefined ? {} : { signal }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, waitOf(ms));
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: '/nonexistent',
    signal: record.run.signal,
    link: (state, report = {}) => void record.links.push({ state, report }),
    rtt: (ms) => void record.rtts.push(ms),
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: () => undefined,
    exclusive: turns(),
    sequence: sequences(),
    ...(typeof given === 'function' ? given(record) : given),
  };
  return { context, record };
}

/** Numbers that go up by one, as the gateway keeps them. */
export function sequences(): Context['sequence'] {
  const last = new Map<string, number>();
  return (name, least = 1) => {
    const next = Math.max((last.get(name) ?? -1) + 1, least);
    last.set(name, next);
    return Promise.resolve(next);
  };
}

/** Takes turns as the runner does. */
export function turns(): Context['exclusive'] {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(work);
    tails.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
}

/** What a plugin was made of. */
export function definitionOf<Settings>(plugin: object): DriverDefinition<Settings> & {
  create(context: Context<Settings>): Driver;
} {
  return plugin as DriverDefinition<Settings>;
}
