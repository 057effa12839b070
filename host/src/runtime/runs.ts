import { ErrorCode, LinkState, NodeType } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { type LinkData, meterRow, type MeterTable } from '@tagway/sdk/internal';
import type { Node, Plugin } from '../core/model.ts';
import type { LastError, Meter, NodeMeters } from '../core/ports.ts';
import { Windows } from './windows.ts';

/** A node that is to run, from its start to its stop; a start with new settings is another run. */
export interface Run {
  readonly node: Node;
  link: LinkState;
  /** Why the link is as it is, in one sentence. */
  reason: string | undefined;
  /** It sends only what an earlier run could not. */
  readonly isTail: boolean;
  /** Since when it is not connected, in milliseconds since the epoch; undefined while it is. */
  downSince: number | undefined;
  /** Counters and gauges by name. */
  readonly meters: Map<string, Mutable<Meter>>;
  /** Those of one group alone, by the number of the group. */
  readonly groupMeters: Map<number, Map<string, Mutable<Meter>>>;
  /** Of an app. */
  readonly windows: Windows;
  /** Of an app: what was left out on the way to its runner, which counts what it leaves out itself. */
  readonly dropped: { dropped_samples: number; dropped_events: number };
  /** Settles with the first attempt to start: rejected when the plugin refuses, resolved when it runs or goes on trying. */
  readonly launched: PromiseWithResolvers<void>;
  /** The runner has been told of it. */
  known: boolean;
  /** The runner has ended the run before it; what came earlier was of that one. */
  begun: boolean;
  /** Its plugin's `start` has succeeded. */
  started: boolean;
  /** With what the first attempt to start it failed. */
  failure: Fault | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The value of `last_rtt_ms` that means "unknown". */
const unknownRtt = 9999;

/** Meters of a node, and of a group, that are kept. */
const mostMeters = 1000;

/** The runs there are, one per node at most. */
export class Runs {
  readonly #runs = new Map<number, Run>();

  begin(node: Node, isTail = false): Run {
    const launched = Promise.withResolvers<void>();
    // Not everyone waits for the end of the first attempt.
    launched.promise.catch(() => undefined);
    const run = {
      node,
      isTail,
      link: LinkState.DISCONNECTED,
      reason: undefined,
      downSince: Date.now(),
      meters: new Map<string, Meter>(),
      groupMeters: new Map<number, Map<string, Meter>>(),
      windows: new Windows(),
      dropped: { dropped_samples: 0, dropped_events: 0 },
      launched,
      known: false,
      begun: false,
      started: false,
      failure: undefined,
    };
    this.#runs.set(node.id, run);
    return run;
  }

  has(plugin: Plugin): boolean {
    return this.of(plugin).length > 0;
  }

  /** A new run for every node of the plugin that is to run. */
  renew(plugin: Plugin): Run[] {
    return this.of(plugin).map((run) => {
      run.launched.resolve();
      return this.begin(run.node, run.isTail);
    });
  }

  end(run: Run): void {
    if (this.isCurrent(run)) this.#runs.delete(run.node.id);
  }

  isCurrent(run: Run): boolean {
    return this.#runs.get(run.node.id) === run;
  }

  /** By the node or its number. */
  get(node: Node | number): Run | undefined {
    return this.#runs.get(typeof node === 'number' ? node : node.id);
  }

  /** Whether a runner hands samples to an app. */
  takesSamples(app: Node): boolean {
    const run = this.get(app);
    return run?.known === true && !run.isTail;
  }

  /** Takes news of the link of a node; returns its run when there is one. News of a part of it leave the link as it is. */
  setLink({ node, link, reason, part }: LinkData): Run | undefined {
    const run = this.get(node);
    if (!run || part !== undefined) return run;
    if (run.link === LinkState.CONNECTED && link !== run.link) run.windows.lostConnection(performance.now());
    run.link = link;
    run.reason = reason;
    run.downSince = link === LinkState.CONNECTED ? undefined : (run.downSince ?? Date.now());
    return run;
  }

  /** Why a node that is to run has no connection, and since when; undefined while it has one or nothing is known. */
  down(node: Node): LastError | undefined {
    const { reason, downSince: since } = this.get(node) ?? {};
    if (reason === undefined || since === undefined) return undefined;
    return { code: ErrorCode.DISCONNECTED, text: reason, time: since, since };
  }

  /** The runner of a run is gone; another one begins it again. */
  lose(run: Run, reason: string): void {
    run.link = LinkState.DISCONNECTED;
    run.reason = reason;
    run.downSince ??= Date.now();
    run.known = false;
    run.begun = false;
    run.started = false;
    run.meters.clear();
    run.groupMeters.clear();
  }

  /** Takes what a runner says of its nodes. False: one of them is not of its plugin. */
  setMeters(plugin: Plugin, { names, rows }: MeterTable): boolean {
    let run: Run | undefined;
    for (let at = 0; at < rows.length; at += meterRow.length) {
      const node = rows[at + meterRow.node] as number;
      if (run?.node.id !== node) {
        if (run !== undefined) recordWindows(run);
        run = this.get(node);
        if (run !== undefined && run.node.plugin.id !== plugin.id) return false;
      }
      // It ended while this was on its way, or what comes is of the run before it.
      if (run?.begun !== true) continue;
      const name = names[rows[at + meterRow.name] as number] as MeterTable['names'][number];
      setMeter(run, name, rows[at + meterRow.group] as number, rows[at + meterRow.value] as number);
    }
    if (run !== undefined) recordWindows(run);
    return true;
  }

  /** Milliseconds. */
  rtt(node: Node): number {
    if (node.plugin.nodeType === NodeType.APP) return 0;
    return this.get(node)?.meters.get('last_rtt_ms')?.value ?? unknownRtt;
  }

  /** The meters of a node and, of an app, how they grew lately. */
  meters(node: Node): NodeMeters {
    const run = this.get(node);
    const own = new Map(run?.meters);
    if (run?.node.plugin.nodeType === NodeType.APP) {
      for (const [name, value] of run.windows.at(performance.now())) own.set(name, { kind: 'gauge', value });
      for (const [name, value] of Object.entries(run.dropped))
        if (value > 0) own.set(name, { kind: 'counter', value: (own.get(name)?.value ?? 0) + value });
    }
    return { own, groups: run?.groupMeters ?? new Map<number, Map<string, Meter>>() };
  }

  /** A sample did not reach an app that is too slow; `events` are its rows if it is an event sample. */
  countDropped(app: Node, events: number): void {
    const run = this.get(app);
    if (!run) return;
    run.dropped.dropped_samples++;
    run.dropped.dropped_events += events;
  }

  all(): Run[] {
    return [...this.#runs.values()];
  }

  of(plugin: Plugin): Run[] {
    return this.all().filter((run) => run.node.plugin.id === plugin.id);
  }

  /** The names of their nodes. */
  namesOf(plugin: Plugin): string[] {
    return this.of(plugin).map(({ node }) => node.name);
  }
}

/** `group` is -1 for a meter of the node. */
function setMeter(run: Run, { name, kind }: MeterTable['names'][number], group: number, value: number): void {
  const own =
    group < 0 ? run.meters : getOrMake(run.groupMeters, group, () => new Map<string, Mutable<Meter>>());
  const known = own.get(name);
  if (known?.kind === kind) known.value = value;
  // A plugin that makes up names without end fills no more than this.
  else if (known !== undefined || own.size < mostMeters) own.set(name, { kind, value });
}

function recordWindows(run: Run): void {
  if (run.begun && run.node.plugin.nodeType === NodeType.APP)
    run.windows.record(run.meters, performance.now());
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
