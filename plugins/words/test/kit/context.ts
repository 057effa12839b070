import { setTimeout as sleep } from 'node:timers/promises';
import {
  Attribute,
  DataType,
  type Context,
  type Driver,
  type DriverDefinition,
  type LinkReport,
  type Point,
} from '@tagway/sdk';
import type { LinkState } from '@tagway/sdk';

/** What a driver has told its context. */
export interface Record {
  readonly links: { readonly state: LinkState; readonly report: LinkReport }[];
  readonly counts: Map<string, number>;
  readonly logs: string[];
  /** Added to the time that the driver sees. */
  later: number;
}

/** A context of one run, and what the driver tells it. */
export function contextFor<Settings>(settings: Settings): { context: Context<Settings>; record: Record } {
  const record: Record = { links: [], counts: new Map(), logs: [], later: 0 };
  const log = (message: string): void => void record.logs.push(message);
  let last = Promise.resolve();
  const context: Context<Settings> = {
    node: 'plant',
    settings,
    log: { debug: log, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now() + record.later,
      sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, ms);
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

/** Points from pairs of address and type; INT16 when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  const attribute = Attribute.READ | Attribute.WRITE;
  return Object.freeze(
    tags.map((tag, index) => {
      const [address, type] = typeof tag === 'string' ? [tag, DataType.INT16] : tag;
      return { name: `tag${index}`, address, type, attribute };
    }),
  );
}
