import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, LinkReport, LinkState, Log } from '@tagway/sdk';
import { fakeStore } from '@tagway/testkit';

/** What a node has told its runner. */
export interface ContextRecord {
  readonly links: LinkState[];
  readonly reports: LinkReport[];
  readonly lines: string[];
  readonly counts: Map<string, number>;
  readonly gauges: Map<string, number>;
}

export interface NodeOptions<Settings> {
  readonly node: string;
  readonly settings: Settings;
  readonly dataDir: string;
  readonly signal?: AbortSignal;
  readonly pairId?: string | undefined;
  /** The numbers of `sequence` that were given last, by name. */
  readonly sequences?: Map<string, number>;
  /** How many times faster than real the node's clock runs. */
  readonly speed?: number | undefined;
}

/** What a runner gives a node, with real time and real timers, and notes of what the node says. */
export function contextOf<Settings>(
  {
    node,
    settings,
    dataDir,
    signal = new AbortController().signal,
    speed = 1,
    pairId,
    sequences = new Map<string, number>(),
  }: NodeOptions<Settings>,
  record: ContextRecord,
): Context<Settings> {
  const begun = Date.now();
  const origin = performance.now();
  const monotonic = (): number => (performance.now() - origin) * speed;
  const line = (message: string): void => void record.lines.push(message);
  const log: Log = { debug: line, info: line, notice: line, warn: line, error: line };
  return {
    node,
    settings,
    log,
    clock: {
      now: () => begun + monotonic(),
      monotonic,
      sleep: (ms, aborting) => sleep(ms / speed, undefined, { signal: aborting }),
      timer(ms, callback) {
        const timer = setTimeout(callback, ms / speed);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
    dataDir,
    ...(pairId !== undefined && { pairId }),
    signal,
    link: (state, report) => {
      record.links.push(state);
      if (report !== undefined) record.reports.push(report);
    },
    rtt: () => undefined,
    count: (name, add) => void record.counts.set(name, (record.counts.get(name) ?? 0) + add),
    gauge: (name, value) => void record.gauges.set(name, value),
    maySend: () => true,
    guard: () => undefined,
    exclusive: (_key, work) => work(),
    sequence: (name, least = 1) => {
      const next = Math.max((sequences.get(name) ?? -1) + 1, least);
      sequences.set(name, next);
      return Promise.resolve(next);
    },
    store: fakeStore(),
  };
}
