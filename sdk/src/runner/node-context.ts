import { mkdirSync } from 'node:fs';
import { LinkState } from '@tagway/schemas';
import type { Context } from '../context.ts';
import type { RunnerClock } from './clock.ts';
import type { Exclusive } from './exclusive.ts';
import { NodeLog } from './log.ts';
import type { Port } from './port.ts';
import type { RunnerRequest } from './protocol.ts';

export type StartRequest = Extract<RunnerRequest, { op: 'start' }>;

/** What all runs of one node share: its log, its link state and its meters. */
export class NodeContext {
  readonly id: number;
  readonly name: string;
  readonly log: NodeLog;
  readonly clock: RunnerClock;
  readonly #start: StartRequest;
  readonly #port: Port;
  readonly #exclusive: Exclusive;
  readonly #meters = new Map<string, number>();
  readonly #fresh = new Set<string>();
  #link: LinkState = LinkState.DISCONNECTED;

  constructor(start: StartRequest, port: Port, exclusive: Exclusive, clock: RunnerClock) {
    this.id = start.node;
    this.name = start.name;
    this.clock = clock;
    this.#start = start;
    this.#port = port;
    this.#exclusive = exclusive;
    this.log = new NodeLog(
      start.level,
      () => clock.now(),
      (level, message, fields) => {
        port.send({
          op: 'log',
          node: start.node,
          level,
          message,
          ...(fields ? { fields: plain(fields) } : {}),
        });
      },
    );
    mkdirSync(start.dataDir, { recursive: true });
  }

  /** The context of one run. What the plugin calls after the signal aborted has no effect. */
  ofRun(signal: AbortSignal): Context {
    return {
      node: this.name,
      settings: deepFreeze(structuredClone(this.#start.settings)),
      log: this.log,
      clock: this.clock,
      dataDir: this.#start.dataDir,
      signal,
      link: (state) => {
        if (!signal.aborted) this.link(state);
      },
      rtt: (ms) => this.gauge('last_rtt_ms', Math.round(ms)),
      count: (name, add) => this.count(name, add),
      gauge: (name, value) => this.gauge(name, value),
      exclusive: (key, work) => this.#exclusive.run(key, work),
    };
  }

  link(state: LinkState): void {
    if (state === this.#link) return;
    this.#link = state;
    this.#port.send({ op: 'link', node: this.id, link: state });
  }

  count(name: string, add: number): void {
    if (add === 0) return;
    this.#meters.set(name, (this.#meters.get(name) ?? 0) + add);
    this.#fresh.add(name);
  }

  gauge(name: string, value: number): void {
    if (this.#meters.get(name) === value) return;
    this.#meters.set(name, value);
    this.#fresh.add(name);
  }

  /** The value of a counter or gauge now. */
  meter(name: string): number {
    return this.#meters.get(name) ?? 0;
  }

  /** What was measured is no more. */
  forget(name: string): void {
    this.#meters.delete(name);
    this.#fresh.delete(name);
  }

  /** Sends the meters that changed since the last time. */
  flushMeters(): void {
    if (this.#fresh.size === 0) return;
    const meters = [...this.#fresh].map((name) => [name, this.#meters.get(name) ?? 0] as const);
    this.#fresh.clear();
    this.#port.send({ op: 'meters', node: this.id, meters });
  }
}

/** Log fields must survive the way to the host: errors become their text, anything else that cannot be copied its name. */
function plain(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (value instanceof Error) return [key, value.stack ?? value.message];
      if (typeof value === 'function' || typeof value === 'symbol') return [key, String(value)];
      return [
        key,
        typeof value === 'object' && value !== null ? asJson(value as object) : (value as unknown),
      ];
    }),
  );
}

function asJson(value: object): string {
  try {
    return JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? String(inner) : inner,
    );
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
