import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Driver, DriverDefinition, LinkReport, LinkState } from '@tagway/sdk';

/** What a driver has told its context, and what its clock does. */
export interface Record {
  readonly links: { readonly state: LinkState; readonly report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly logs: string[];
  /** Added to the time that the driver sees. */
  later: number;
  /** Makes what the driver waits for, such as the next attempt to connect, come within 50 ms. */
  hurry: boolean;
}

/** A context of one run, and what the driver tells it. */
export function contextFor<Settings>(settings: Settings): { context: Context<Settings>; record: Record } {
  const record: Record = { links: [], counts: new Map(), logs: [], later: 0, hurry: false };
  const log = (message: string): void => void record.logs.push(message);
  const waitOf = (ms: number): number => (record.hurry ? Math.min(ms, 50) : ms);
  let last = Promise.resolve();
  const context: Context<Settings> = {
    node: 'plant',
    settings,
    log: { debug: log, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now() + record.later,
      sleep: (ms, signal) => sleep(waitOf(ms), undefined, signal === undefined ? {} : { signal }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, waitOf(ms));
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: '/nonexistent',
    signal: new AbortController().signal,
    link: (state, report = {}) => void record.links.push({ state, report }),
    rtt: () => undefined,
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: () => undefined,
    exclusive: (_key, work) => {
      const turn = last.then(work);
      last = turn.then(
        () => undefined,
        () => undefined,
      );
      return turn;
    },
  };
  return { context, record };
}

/** What a plugin was made of. */
export function definitionOf<Settings>(plugin: object): DriverDefinition<Settings> & {
  create(context: Context<Settings>): Driver;
} {
  return plugin as DriverDefinition<Settings>;
}
