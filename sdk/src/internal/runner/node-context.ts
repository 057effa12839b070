import { mkdirSync } from 'node:fs';
import { ErrorCode, LinkState } from '@tagway/schemas';
import type { TransitionOf } from '../../alarm.ts';
import type { Clock, Context, LinkReport, NodeStore } from '../../context.ts';
import { Fault, isFault } from '../../fault.ts';
import type { ListeningPlace } from '../../peers.ts';
import type { Sample } from '../../sample.ts';
import { guard } from '../../link/socket.ts';
import { maySend } from '../../send-gate.ts';
import type { Exclusive } from './exclusive.ts';
import { type Delivered, FollowedReading } from '../samples/sample-way.ts';
import { FrameTracer } from './frame-tracer.ts';
import { NodeLog } from './log.ts';
import type { Alarms } from './schedule.ts';
import { type Meter, MeterRows } from '../meters/meter-table.ts';
import type { AskHost, StoredTransition } from '../channel/host-request.ts';
import type { Port, RunnerRequest } from '../channel/protocol.ts';
import { soundText, textOf } from './sound-fault.ts';

export type StartRequest = Extract<RunnerRequest, { op: 'start' }>;

/** Shared by all nodes of a runner. */
export interface RunnerServices {
  readonly port: Port;
  readonly exclusive: Exclusive;
  readonly ask: AskHost;
  readonly clock: Clock;
  readonly alarms: Alarms;
  /** Calls `notice` once the samples pushed before are on their way. */
  readonly inOrder: (notice: () => void) => void;
}

/** Shared by all runs of one node: its log, its link state and its meters. */
export class NodeContext {
  readonly id: number;
  readonly name: string;
  readonly log: NodeLog;
  readonly clock: Clock;
  readonly alarms: Alarms;
  /** The frames of the node while somebody traces them. */
  readonly frames: FrameTracer;
  /** The smallest number that no other node of the runner has. */
  readonly seat: number;
  readonly #start: StartRequest;
  /** Those of a run that begins. */
  #settings: StartRequest['settings'];
  readonly #runner: RunnerServices;
  readonly #meters = new Map<string, KeptMeter>();
  readonly #metersOfGroups = new Map<number, Map<string, KeptMeter>>();
  #link: LinkState = LinkState.DISCONNECTED;
  #reason: string | undefined;
  #isListening = false;
  /** Called before a change of the link is sent: samples of the state before have to be sent first. */
  beforeLink: () => void = () => undefined;
  /** Called after the state of the link was reported, also when only its reason changed. */
  onLink: (before: LinkState, now: LinkState, reason: string | undefined) => void = () => undefined;

  constructor(start: StartRequest, runner: RunnerServices, seat: number) {
    const { clock, port } = runner;
    this.alarms = runner.alarms;
    this.seat = seat;
    this.id = start.node;
    this.name = start.name;
    this.clock = clock;
    this.#start = start;
    this.#settings = start.settings;
    this.#runner = runner;
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
    this.frames = new FrameTracer({
      clock,
      send: (trace, frames, full) => port.send({ op: 'frames', node: start.node, trace, frames, full }),
    });
    if (start.trace !== undefined) this.frames.prepare(start.trace);
    mkdirSync(start.dataDir, { recursive: true });
  }

  /** The driver has inputs. */
  get hasInputs(): boolean {
    return this.#start.inputs === true;
  }

  /** A reading that is followed; undefined for nearly all of them, and where none is. */
  follow(): FollowedReading | undefined {
    const { follow } = this.#start;
    return follow !== undefined && Math.random() * follow < 1 ? new FollowedReading() : undefined;
  }

  /** An app has taken the sample of a followed reading. */
  delivered(delivered: Delivered): void {
    this.#runner.port.send({ op: 'delivered', ...delivered });
  }

  /** Asks the gateway. */
  get ask(): AskHost {
    return this.#runner.ask;
  }

  /** Takes settings for the runs to come, and gives them as a run gets them. */
  take(settings: StartRequest['settings']): StartRequest['settings'] {
    this.#settings = settings;
    return deepFreeze(structuredClone(settings));
  }

  /** The context of one run. What the plugin calls after the signal aborted has no effect. */
  ofRun(signal: AbortSignal): Context {
    const { pairId } = this.#start;
    this.frames.clear();
    return {
      node: this.name,
      settings: deepFreeze(structuredClone(this.#settings)),
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
      listens: (places) => {
        if (!signal.aborted) this.listens(places);
      },
      traceable: (source) => this.frames.add(source),
      maySend,
      guard,
      exclusive: (key, work, abort) => this.#runner.exclusive.run(key, work, abort),
      sequence: (name, least = 1) => this.#sequence(name, least, signal),
      store: this.#store(signal),
    };
  }

  async #sequence(name: string, least: number, signal: AbortSignal): Promise<number> {
    if (!Number.isSafeInteger(least) || least < 0)
      throw new Fault(
        ErrorCode.PARAM_INVALID,
        `The least number of a sequence is a whole number, not ${String(least)}.`,
      );
    return this.#runner.ask<'sequence'>({ op: 'sequence', node: this.id, name: textOf(name), least }, signal);
  }

  /** Takes connections at these places. */
  listens(places: readonly ListeningPlace[]): void {
    if (places.length === 0 && !this.#isListening) return;
    this.#isListening = places.length > 0;
    const sent = places.map(({ host, port, protocol, isEncrypted, isRestricted, mayWrite }) => ({
      host: textOf(host),
      port,
      protocol: textOf(protocol),
      isEncrypted,
      isRestricted,
      mayWrite,
    }));
    this.#runner.port.send({ op: 'listens', node: this.id, places: sent });
  }

  #store(signal: AbortSignal): NodeStore {
    const { ask } = this.#runner;
    const { id: node } = this;
    return {
      read: async () => new Map(await ask<'stored'>({ op: 'stored', node }, signal)),
      async write(given, happened = []) {
        const entries = Array.from(
          given,
          ([key, text]) => [textOf(key), text === undefined ? null : textOf(text)] as const,
        );
        if (entries.length === 0 && happened.length === 0) return;
        const transitions = happened.length > 0 && { transitions: happened.map(storedTransition) };
        // What a stop ends is stored too.
        await ask<'store'>({ op: 'store', node, entries, ...transitions });
      },
    };
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
    this.#runner.inOrder(() =>
      this.#runner.port.send({
        op: 'link',
        node: this.id,
        link: state,
        ...(reason !== undefined && { reason }),
        ...(step !== undefined && { step }),
        ...(part !== undefined && { part: textOf(part) }),
      }),
    );
    if (part === undefined) this.onLink(before, state, reason);
  }

  /** The error of a call; while the link is down its reason says more than a driver's "disconnected". */
  withReason(error: unknown): unknown {
    const isDown =
      this.#link !== LinkState.CONNECTED && isFault(error) && error.code === ErrorCode.DISCONNECTED;
    return isDown && this.#reason !== undefined
      ? new Fault(ErrorCode.DISCONNECTED, this.#reason, { cause: error })
      : error;
  }

  count(name: string, add: number): void {
    if (add === 0 || !Number.isFinite(add)) return;
    const meter = this.#meterOf(name, 'counter');
    meter.value += add;
    meter.isFresh = true;
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
    meter.isFresh = true;
  }

  /** The value of a counter or gauge of the node now. */
  meter(name: string): number {
    return this.#meters.get(name)?.value ?? 0;
  }

  /** The group was deleted. */
  forget(group: number): void {
    this.#metersOfGroups.delete(group);
  }

  /** Adds the meters that changed since the last call to a table. */
  takeMeters(into: MeterRows): void {
    const take = (meter: KeptMeter): void => {
      if (meter.isFresh) into.add(this.id, meter);
      meter.isFresh = false;
    };
    this.#meters.forEach(take);
    this.#metersOfGroups.forEach((meters) => meters.forEach(take));
  }

  /** Sends the meters of this node that changed. */
  flushMeters(): void {
    sendMeters(this.#runner.port, [this]);
  }

  /** Meters are kept as long as their node or group, so that counting makes no object. A new gauge is NaN, which differs from every value. */
  #meterOf(name: string, kind: Meter['kind'], group?: number): KeptMeter {
    let meters = this.#meters;
    if (group !== undefined) {
      meters = this.#metersOfGroups.get(group) ?? new Map<string, KeptMeter>();
      this.#metersOfGroups.set(group, meters);
    }
    let meter = meters.get(name);
    if (meter === undefined) {
      const value = kind === 'counter' ? 0 : NaN;
      meter = { name, kind, value, isFresh: false, ...(group !== undefined && { group }) };
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

/** Throws PARAM_INVALID for a tag without a number. */
function storedTransition({ point: { id, name }, ...transition }: TransitionOf): StoredTransition {
  if (id !== undefined) return { ...transition, tag: { id, name } };
  throw new Fault(
    ErrorCode.PARAM_INVALID,
    'Only alarms of tags that are there are recorded, and not those of test reads.',
  );
}

interface KeptMeter extends Omit<Meter, 'value'> {
  value: number;
  /** It has changed since it was sent. */
  isFresh: boolean;
}

const linkStates: ReadonlySet<unknown> = new Set(Object.values(LinkState));

/** Log fields that can be copied to the host: errors become their text, other values that cannot be copied their JSON or name. */
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
