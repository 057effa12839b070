import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@tagway/sdk';

/** What a driver has told its context. */
export interface Record {
  readonly links: number[];
  readonly counts: Map<string, number>;
  readonly rtts: number[];
  readonly logs: string[];
  /** Added to the time that the driver sees. */
  later: number;
  /** Makes the driver's pauses, such as those between attempts to connect, end at once. */
  hurry: boolean;
}

/** A context of one run, and what the driver tells it. */
export function contextFor<Settings>(settings: Settings): {
  context: Context<Settings>;
  record: Record;
  run: AbortController;
} {
  const run = new AbortController();
  const record: Record = { links: [], counts: new Map(), rtts: [], logs: [], later: 0, hurry: false };
  const log = (message: string): void => void record.logs.push(message);
  const context: Context<Settings> = {
    node: 'plant',
    settings,
    log: { debug: log, info: log, notice: log, warn: log, error: log },
    clock: {
      now: () => Date.now() + record.later,
      monotonic: () => performance.now(),
      sleep: (ms, signal) => sleep(record.hurry ? 0 : ms, undefined, signal === undefined ? {} : { signal }),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, record.hurry ? 0 : ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir: '/nonexistent',
    signal: run.signal,
    link: (state) => {
      if (record.links.at(-1) !== state) record.links.push(state);
    },
    rtt: (ms) => void record.rtts.push(ms),
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: () => undefined,
    exclusive: (_key, work) => work(),
  };
  return { context, record, run };
}
