import type { App, AppContext, AppDefinition, Route } from '../app.ts';
import type { Context } from '../context.ts';
import type { Layout, Sample } from '../sample.ts';
import { Lifecycle } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import {
  faultData,
  type FaultData,
  type HostAnswers,
  type HostRequest,
  type RouteConfig,
} from './protocol.ts';
import { SampleQueue } from './sample-queue.ts';

/** Bytes of samples held for an app that is still busy with an earlier one. */
const queueBytes = 16_000_000;

/** Asks the host; the answer's type follows the request. */
export type AskHost = <Op extends HostRequest['op']>(
  request: Extract<HostRequest, { op: Op }>,
) => Promise<HostAnswers[Op]>;

/** Runs one app node: hands it its routes and, one at a time, the samples of its groups. */
export class AppNode {
  readonly context: NodeContext;
  readonly #life: Lifecycle<App>;
  readonly #layouts: ReadonlyMap<number, Layout>;
  readonly #queue = new SampleQueue(queueBytes);
  #configs: readonly RouteConfig[] = [];
  #routes = new Map<number, Route>();
  #delivering = false;

  constructor(
    definition: AppDefinition<never, never>,
    context: NodeContext,
    layouts: ReadonlyMap<number, Layout>,
    ask: AskHost,
    refused: (fault: FaultData) => void,
  ) {
    this.context = context;
    this.#layouts = layouts;
    const create = (run: Context): App => definition.create(withRequests(run, ask) as never);
    this.#life = new Lifecycle(context, create, {
      started: (instance) => instance.routes([...this.#routes.values()]),
      failed: () => this.#queue.clear(),
      refused: (fault) => refused(faultData(fault, fault.code)),
    });
  }

  start(): Promise<boolean> {
    return this.#life.start();
  }

  async stop(): Promise<void> {
    await this.#life.stop();
    this.#queue.clear();
    this.context.flushMeters();
  }

  setRoutes(configs: readonly RouteConfig[]): void {
    this.#configs = configs;
    this.#route();
  }

  /** A layout of a group has changed. */
  relayout(group: number): void {
    if (this.#configs.some((config) => config.group === group)) this.#route();
  }

  /** Takes a sample if this app has a route to its group. */
  deliver(sample: Sample): void {
    if (!this.#routes.has(sample.group) || !this.#life.instance) return;
    if (this.#delivering) {
      const before = this.#queue.dropped;
      this.#queue.push(sample);
      this.context.count('dropped_samples', this.#queue.dropped - before);
    } else {
      this.#hand(sample);
    }
  }

  #route(): void {
    const routes = new Map<number, Route>();
    for (const { group, params } of this.#configs) {
      const layout = this.#layouts.get(group);
      if (!layout) continue;
      const before = this.#routes.get(group);
      const same = before?.layout === layout && before.params === params;
      routes.set(group, same ? before : { group, params, layout });
    }
    this.#routes = routes;
    this.#life.instance?.routes([...routes.values()]);
  }

  #hand(sample: Sample): void {
    const route = this.#routes.get(sample.group);
    const instance = this.#life.instance;
    // A sample that waited while its group changed cannot be read any more.
    if (!instance || route?.layout.version !== sample.version) return;
    try {
      const taken = instance.deliver(sample, route);
      if (taken) void this.#await(taken);
    } catch (error) {
      this.context.log.error('The app failed to take a sample.', { error });
    }
  }

  async #await(taken: Promise<void>): Promise<void> {
    this.#delivering = true;
    try {
      await taken;
    } catch (error) {
      this.context.log.error('The app failed to take a sample.', { error });
    }
    this.#delivering = false;
    while (!this.#isDelivering()) {
      const next = this.#queue.shift();
      if (!next) return;
      this.#hand(next);
    }
  }

  #isDelivering(): boolean {
    return this.#delivering;
  }
}

function withRequests(run: Context, ask: AskHost): AppContext {
  return {
    ...run,
    read: (node, group, sync = false) => ask<'read'>({ op: 'read', node, group, sync }),
    write: (node, group, tags) => ask<'write'>({ op: 'write', node, group, tags }),
    drivers: () => ask<'drivers'>({ op: 'drivers' }),
  };
}
