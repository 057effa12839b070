import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, LinkState, NodeType } from '@tagway/schemas';
import type { DriverState, Fault, ListeningPlace } from '@tagway/sdk';
import { type LinkData, meterRow, type MeterTable } from '@tagway/sdk/internal';
import type { Node, Plugin } from '../../core/model.ts';
import type { LastError, Meter, NodeMeters } from '../../core/ports/ports.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import { Windows } from '../samples/windows.ts';

/**
 * `standby`: an app serves its clients at the standby gateway of a pair. `tail`: it sends only the messages that an earlier run left on
 * disk.
 */
export type RunMode = 'active' | 'standby' | 'tail';

/** One run of a node, from its start to its stop; a start with new settings begins another run. */
export interface NodeRun {
  readonly node: Node;
  link: LinkState;
  /** Why the link is as it is, in one sentence. */
  reason: string | undefined;
  mode: RunMode;
  /** Of the node when the run began. */
  readonly name: string;
  /** When the run began, or that the app has taken since. */
  settings: Node['settings'];
  /** Since when it is not connected, in milliseconds since the epoch; undefined while it is. */
  downSince: number | undefined;
  /** Where it takes connections. */
  places: readonly ListeningPlace[];
  /** Counters and gauges by name. */
  readonly meters: Map<string, Mutable<Meter>>;
  /** Those of one group alone, by the number of the group. */
  readonly groupMeters: Map<number, Map<string, Mutable<Meter>>>;
  /** Of an app. */
  readonly windows: Windows;
  /** What was left out on the way to its runner, which counts what it leaves out itself. */
  readonly dropped: { dropped_samples: number; dropped_events: number };
  /** Settles with the first attempt to start: rejected when the plugin refuses, resolved when it runs or goes on trying. */
  readonly launched: PromiseWithResolvers<void>;
  /** The runner was sent the start. */
  known: boolean;
  /** The runner has ended the run before it. Messages that came before were of that run. */
  begun: boolean;
  /** Its plugin's `start` has succeeded. */
  started: boolean;
  /** The fault of the first attempt to start it. */
  failure: Fault | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The value of `last_rtt_ms` that means "unknown". */
const unknownRtt = 9999;

/** Meters of a node, and of a group, that are kept. */
const mostMeters = 1000;

/** The current runs, at most one for each node. */
export class NodeRuns {
  readonly #runs = new Map<number, NodeRun>();

  begin(node: Node, mode: RunMode = 'active'): NodeRun {
    const launched = Promise.withResolvers<void>();
    // It may reject while nothing waits for it.
    launched.promise.catch(() => undefined);
    const run: NodeRun = {
      node,
      mode,
      name: node.name,
      settings: node.settings,
      link: LinkState.DISCONNECTED,
      reason: undefined,
      downSince: Date.now(),
      places: [],
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
    for (const { node } of this.#runs.values()) if (node.plugin.id === plugin.id) return true;
    return false;
  }

  /** A new run for every node of the plugin that is to run. */
  renew(plugin: Plugin): NodeRun[] {
    return this.of(plugin).map((run) => {
      run.launched.resolve();
      return this.begin(run.node, run.mode);
    });
  }

  end(run: NodeRun): void {
    if (this.isCurrent(run)) this.#runs.delete(run.node.id);
  }

  isCurrent(run: NodeRun): boolean {
    return this.#runs.get(run.node.id) === run;
  }

  /** By the node or its number. */
  get(node: Node | number): NodeRun | undefined {
    return this.#runs.get(typeof node === 'number' ? node : node.id);
  }

  /** Whether a node gets samples: its runner was sent the start, and the run is no tail. */
  takesSamples(app: Node): boolean {
    const run = this.get(app);
    return run?.known === true && run.mode !== 'tail';
  }

  /** Takes a report of the link of a node. A report of one part of it, such as a station, leaves the link as it is. */
  setLink({ node, link, reason, part }: LinkData): NodeRun | undefined {
    const run = this.get(node);
    if (!run || part !== undefined) return run;
    if (run.link === LinkState.CONNECTED && link !== run.link) run.windows.lostConnection(performance.now());
    run.link = link;
    run.reason = reason;
    run.downSince = link === LinkState.CONNECTED ? undefined : (run.downSince ?? Date.now());
    return run;
  }

  /** The state of a driver, as apps get it. */
  stateOf(driver: Node): DriverState {
    const { link = LinkState.DISCONNECTED, reason } = this.get(driver) ?? {};
    const { name, running, plugin } = driver;
    return {
      driver: name,
      running,
      link,
      ...(reason !== undefined && { reason }),
      ...(plugin.writesMany && { writesMany: true }),
    };
  }

  /** Why a node that is to run has no connection, and since when; undefined while it has one or nothing is known. */
  down(node: Node): LastError | undefined {
    const { reason, downSince: since } = this.get(node) ?? {};
    if (reason === undefined || since === undefined) return undefined;
    return { code: ErrorCode.DISCONNECTED, text: reason, time: since, since };
  }

  /** The runner of a run is gone; the next runner starts the run again. */
  lose(run: NodeRun, reason: string): void {
    run.link = LinkState.DISCONNECTED;
    run.reason = reason;
    run.downSince ??= Date.now();
    run.known = false;
    run.begun = false;
    run.started = false;
    run.places = [];
    run.meters.clear();
    run.groupMeters.clear();
  }

  /** Takes the meters of a runner's nodes. Returns false when a node is of another plugin. */
  setMeters(plugin: Plugin, { names, rows }: MeterTable): boolean {
    let run: NodeRun | undefined;
    for (let at = 0; at < rows.length; at += meterRow.length) {
      const node = rows[at + meterRow.node]!;
      if (run?.node.id !== node) {
        if (run !== undefined) recordWindows(run);
        run = this.get(node);
        if (run !== undefined && run.node.plugin.id !== plugin.id) return false;
      }
      // The run ended while this was on its way, or this is of the run before it.
      if (run?.begun !== true) continue;
      const name = names[rows[at + meterRow.name]!] as MeterTable['names'][number];
      setMeter(run, name, rows[at + meterRow.group]!, rows[at + meterRow.value]!);
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
    }
    for (const [name, value] of Object.entries(run?.dropped ?? {}))
      if (value > 0) own.set(name, { kind: 'counter', value: (own.get(name)?.value ?? 0) + value });
    return { own, groups: run?.groupMeters ?? new Map<number, Map<string, Meter>>() };
  }

  /** A sample did not reach a node that is too slow; `events` are its rows if it is an event sample. */
  countDropped(app: Node, events: number): void {
    const run = this.get(app);
    if (!run) return;
    run.dropped.dropped_samples++;
    run.dropped.dropped_events += events;
  }

  all(): NodeRun[] {
    return [...this.#runs.values()];
  }

  of(plugin: Plugin): NodeRun[] {
    return this.all().filter((run) => run.node.plugin.id === plugin.id);
  }

  /** The names of their nodes. */
  namesOf(plugin: Plugin): string[] {
    return this.of(plugin).map(({ node }) => node.name);
  }
}

/** Whether the name and the settings of the node are those with which the run began. */
export function isAsBefore({ node, name, settings }: NodeRun): boolean {
  return node.name === name && isDeepStrictEqual(node.settings, settings);
}

/** `group` is -1 for a meter of the node. */
function setMeter(
  run: NodeRun,
  { name, kind }: MeterTable['names'][number],
  group: number,
  value: number,
): void {
  const own =
    group < 0 ? run.meters : getOrMake(run.groupMeters, group, () => new Map<string, Mutable<Meter>>());
  const known = own.get(name);
  if (known?.kind === kind) known.value = value;
  // A plugin that makes up names without end fills no more than this.
  else if (known !== undefined || own.size < mostMeters) own.set(name, { kind, value });
}

function recordWindows(run: NodeRun): void {
  if (run.begun && run.node.plugin.nodeType === NodeType.APP)
    run.windows.record(run.meters, performance.now());
}
