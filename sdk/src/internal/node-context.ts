import { mkdirSync } from 'node:fs';
import { ErrorCode, LinkState } from '@tagway/schemas';
import type { Clock, Context, LinkReport } from '../context.ts';
import { Fault } from '../fault.ts';
import type { Sample } from '../sample.ts';
import type { Exclusive } from './exclusive.ts';
import { NodeLog } from './log.ts';
import type { Port } from './port.ts';
import { Alarms } from './schedule.ts';
import { type Meter, MeterRows } from './meter-table.ts';
import type { AskHost, RunnerRequest } from './protocol.ts';
import { soundText, textOf } from './sound-fault.ts';

export type StartRequest = Extract<RunnerRequest, { op: 'start' }>;

/** What all runs of one node share: its log, its link state and its meters. */
export class NodeContext {
  readonly id: number;
  readonly name: string;
  readonly log: NodeLog;
  readonly clock: Clock;
  /** Of all nodes of the runner. */
  readonly alarms: Alarms;
  /** The smallest number that no other node of the runner has. */
  readonly seat: number;
  readonly #start: StartRequest;
  readonly #port: Port;
  readonly #exclusive: Exclusive;
  readonly #ask: AskHost;
  readonly #inOrder: (notice: () => void) => void;
  readonly #meters = new Map<string, Mutable<Meter>>();
  readonly #metersOfGroups = new Map<number, Map<string, Mutable<Meter>>>();
  readonly #fresh = new Set<Meter>();
  #link: LinkState = LinkState.DISCONNECTED;
  #reason: string | undefined;
  /** Called before it is told that the link changed: what belongs to the state before is to be on its way first. */
  beforeLink: () => void = () => undefined;
  /** Called after the link changed from one state to another. */
  onLink: (before: LinkState, now: LinkState, reason: string | undefined) => void = () => undefined;

  /** `inOrder` runs what it is given once the samples pushed before are on their way. */
  constructor(
    start: StartRequest,
    port: Port,
    exclusive: Exclusive,
    ask: AskHost,
    clock: Clock,
    inOrder: (notice: () => void) => void = (notice) => notice(),
    alarms = new Alarms(clock),
    seat = 0,
  ) {
    this.alarms = alarms;
    this.seat = seat;
    this.#inOrder = inOrder;
    this.id = start.node;
    this.name = start.name;
    this.clock = clock;
    this.#start = start;
    this.#port = port;
    this.#exclusive = exclusive;
    this.#ask = ask;
    this.log = new NodeLog(
      start.level,
      () => clock.now(),
      (level, message, fields) => {
        port.send({
          op: 'log',
          node: start.node,
          level,
          message: textOf(message),
          ...(fields ? { fields: plain(fields) } : {}),
        });
      },
    );
    mkdirSync(start.dataDir, { recursive: true });
  }

  /** The context of one run. What the plugin calls after the signal aborted has no effect. */
  ofRun(signal: AbortSignal): Context {
    const { pairId } = this.#start;
    return {
      node: this.name,
      settings: deepFreeze(structuredClone(this.#start.settings)),
      log: this.log,
      clock: this.clock,
      dataDir: this.#start.dataDir,
      ...(pairId !== undefined && { pairId }),
      signal,
      link: (state, report) => {
        if (!signal.aborted) this.link(state, report);
      },
      rtt: (ms) => this.gauge('last_rtt_ms', Math.round(ms)),
      count: (name, add) => this.count(name, add),
      gauge: (name, value) => this.gauge(name, value),
      exclusive: (key, work, abort) => this.#exclusive.run(key, work, abort),
      sequence: (name, least = 1) => this.#sequence(name, least, signal),
    };
  }

  async #sequence(name: string, least: number, signal: AbortSignal): Promise<number> {
    if (!Number.isSafeInteger(least) || least < 0)
      throw new Fault(
        ErrorCode.PARAM_INVALID,
        `The least number of a sequence is a whole number, not ${String(least)}.`,
      );
    return this.#ask<'sequence'>({ op: 'sequence', node: this.id, name: textOf(name), least }, signal);
  }

  link(state: LinkState, { reason: given, step, part }: LinkReport = {}): void {
    if (!linkStates.has(state)) throw new RangeError(`A link has no state ${String(state)}.`);
    const before = this.#link;
    const reason = given === undefined ? undefined : soundText(given);
    if (part === undefined) {
      if (state === before && (reason === undefined || reason === this.#reason)) return;
      this.#link = state;
      this.#reason = reason;
    }
    if (part === undefined && state !== before) this.beforeLink();
    this.#inOrder(() =>
      this.#port.send({
        ...{ op: 'link', node: this.id, link: state },
        ...(reason !== undefined && { reason }),
        ...(step !== undefined && { step }),
        ...(part !== undefined && { part: textOf(part) }),
      }),
    );
    if (part === undefined && state !== before) this.onLink(before, state, reason);
  }

  count(name: string, add: number): void {
    // What is no number says nothing.
    if (add === 0 || !Number.isFinite(add)) return;
    const meter = this.#meterOf(name, 'counter');
    meter.value += add;
    this.#fresh.add(meter);
  }

  /** Counts a sample that a queue had no room for. */
  countDropped({ rows }: Pick<Sample, 'rows'>): void {
    this.count('dropped_samples', 1);
    this.count('dropped_events', rows?.length ?? 0);
  }

  /** `group`: of one group alone, by its number. */
  gauge(name: string, value: number, group?: number): void {
    if (!Number.isFinite(value)) return;
    const meter = this.#meterOf(name, 'gauge', group);
    if (meter.value === value) return;
    meter.value = value;
    this.#fresh.add(meter);
  }

  /** The value of a counter or gauge of the node now. */
  meter(name: string): number {
    return this.#meters.get(name)?.value ?? 0;
  }

  /** The group is no more. */
  forget(group: number): void {
    for (const meter of this.#metersOfGroups.get(group)?.values() ?? []) this.#fresh.delete(meter);
    this.#metersOfGroups.delete(group);
  }

  /** Takes down the meters that changed since the last time. */
  takeMeters(into: MeterRows): void {
    for (const meter of this.#fresh) into.add(this.id, meter);
    this.#fresh.clear();
  }

  /** Sends those of this node. */
  flushMeters(): void {
    sendMeters(this.#port, [this]);
  }

  /** Meters live as long as what they measure, so that counting makes no object. A new one has no value, which differs from any. */
  #meterOf(name: string, kind: Meter['kind'], group?: number): Mutable<Meter> {
    let meters = this.#meters;
    if (group !== undefined) {
      meters = this.#metersOfGroups.get(group) ?? new Map<string, Mutable<Meter>>();
      this.#metersOfGroups.set(group, meters);
    }
    let meter = meters.get(name);
    if (meter === undefined) {
      meter = { name, kind, value: kind === 'counter' ? 0 : NaN, ...(group !== undefined && { group }) };
      meters.set(name, meter);
    }
    return meter;
  }
}

/** Sends the meters of these nodes that changed since the last time. */
export function sendMeters(port: Port, nodes: Iterable<NodeContext>): void {
  const rows = new MeterRows();
  for (const node of nodes) node.takeMeters(rows);
  const { table } = rows;
  if (table !== undefined) port.send({ op: 'meters', ...table });
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const linkStates: ReadonlySet<unknown> = new Set(Object.values(LinkState));

/** Log fields must survive the way to the host: errors become their text, anything else that cannot be copied its name. */
function plain(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (value instanceof Error) return [key, value.stack ?? value.message];
      if (['function', 'symbol', 'bigint'].includes(typeof value)) return [key, String(value)];
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
