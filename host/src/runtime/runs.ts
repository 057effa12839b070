import { LinkState, NodeType } from '@tagway/schemas';
import type { LinkData, Meter } from '@tagway/sdk/internal';
import type { Node, Plugin } from '../core/model.ts';
import { Windows } from './windows.ts';

/** A node that is to run, from its start to its stop; a start with new settings is another run. */
export interface Run {
  readonly node: Node;
  link: LinkState;
  /** Why the link is as it is, in one sentence. */
  reason: string | undefined;
  /** Counters and gauges by name. */
  readonly meters: Map<string, number>;
  /** Of an app. */
  readonly windows: Windows;
  /** Of an app: what was left out on the way to its runner, which counts what it leaves out itself. */
  readonly dropped: { samples: number; events: number };
  /** Settles with the first attempt to start: rejected when the plugin refuses, resolved when it runs or goes on trying. */
  readonly launched: PromiseWithResolvers<void>;
  /** The runner has been told of it. */
  known: boolean;
}

/** The value of `last_rtt_ms` that means "unknown". */
const unknownRtt = 9999;

/** The runs there are, one per node at most. */
export class Runs {
  readonly #runs = new Map<number, Run>();

  begin(node: Node): Run {
    const launched = Promise.withResolvers<void>();
    // Not everyone waits for the end of the first attempt.
    launched.promise.catch(() => undefined);
    const run = {
      node,
      link: LinkState.DISCONNECTED,
      reason: undefined,
      meters: new Map<string, number>(),
      windows: new Windows(),
      dropped: { samples: 0, events: 0 },
      launched,
      known: false,
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
      return this.begin(run.node);
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

  /** Takes news of the link of a node; returns its run when there is one. News of a part of it leave the link as it is. */
  setLink({ node, link, reason, part }: LinkData): Run | undefined {
    const run = this.get(node);
    if (!run || part !== undefined) return run;
    if (run.link === LinkState.CONNECTED && link !== run.link) run.windows.lostConnection(performance.now());
    run.link = link;
    run.reason = reason;
    return run;
  }

  setMeters(node: number, meters: readonly Meter[]): void {
    const run = this.get(node);
    if (!run) return;
    for (const { name, group, value } of meters)
      run.meters.set(group === undefined ? name : `${name}/${group}`, value);
    if (run.node.plugin.nodeType === NodeType.APP) run.windows.record(run.meters, performance.now());
  }

  /** Milliseconds. */
  rtt(node: Node): number {
    if (node.plugin.nodeType === NodeType.APP) return 0;
    return this.get(node)?.meters.get('last_rtt_ms') ?? unknownRtt;
  }

  /** The meters of a node and, of an app, how they grew lately. */
  counters(node: Node): ReadonlyMap<string, number> {
    const run = this.get(node);
    if (run?.node.plugin.nodeType !== NodeType.APP) return run?.meters ?? new Map<string, number>();
    const { meters, dropped } = run;
    const counters = new Map([...meters, ...run.windows.at(performance.now())]);
    if (dropped.samples > 0) {
      counters.set('dropped_samples', (meters.get('dropped_samples') ?? 0) + dropped.samples);
      counters.set('dropped_events', (meters.get('dropped_events') ?? 0) + dropped.events);
    }
    return counters;
  }

  /** A sample did not reach an app that is too slow; `events` are its rows if it is an event sample. */
  countDropped(app: Node, events: number): void {
    const run = this.get(app);
    if (!run) return;
    run.dropped.samples++;
    run.dropped.events += events;
  }

  all(): Run[] {
    return [...this.#runs.values()];
  }

  of(plugin: Plugin): Run[] {
    return this.all().filter((run) => run.node.plugin.id === plugin.id);
  }
}
