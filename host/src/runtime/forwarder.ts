import type { DriverState, Sample } from '@tagway/sdk';
import { dataOf, type SubscriptionsData } from '@tagway/sdk/internal';
import type { Group, Node } from '../core/model.ts';
import type { GroupCache } from './group-cache.ts';
import type { Supervisor } from './supervisor.ts';

/** What the forwarder asks of the runtime. */
export interface ForwarderSources {
  /** The runner that has been told of an app's run. */
  runnerOf(app: Node): Supervisor | undefined;
  cacheOf(group: Group): GroupCache;
  stateOf(driver: Node): DriverState;
}

/** Carries samples and states of drivers to the runners of subscribed apps: once per runner, however many of its apps want them. */
export class Forwarder {
  readonly #sources: ForwarderSources;
  readonly #targets = new Map<Group, readonly Supervisor[]>();

  constructor(sources: ForwarderSources) {
    this.#sources = sources;
  }

  /** The runs of apps changed. */
  rerouted(): void {
    this.#targets.clear();
  }

  /** All that an app subscribes to, as its runner is to hear it; the runner has been told of the layouts from here on. */
  subscriptionsOf(app: Node, runner: Supervisor): SubscriptionsData {
    this.#targets.clear();
    const subscriptions = [...app.subscriptions.values()];
    const fresh = runner.layoutsToTell(
      app.id,
      subscriptions.map(({ group }) => ({ group: group.id, layout: this.#sources.cacheOf(group).layout })),
    );
    const drivers = new Set(subscriptions.map(({ group }) => group.node));
    return {
      subscriptions: subscriptions.map(({ id, group, params }) => ({ id, group: group.id, params })),
      layouts: fresh,
      drivers: [...drivers].map((driver) => this.#sources.stateOf(driver)),
    };
  }

  /** Tells an app's runner of all its subscriptions. */
  route(app: Node): void {
    const runner = this.#sources.runnerOf(app);
    this.#targets.clear();
    // In order with the samples: those before it belong to the subscriptions before it.
    runner?.outlet.after(() => {
      // The run may have ended since, and the runner would not take what it is told for it.
      if (this.#sources.runnerOf(app) !== runner) return;
      runner.send({ op: 'subscriptions', node: app.id, ...this.subscriptionsOf(app, runner) });
    });
  }

  /** Gives one app at once what is known of a group, unchanged tags included. */
  reportLatest(app: Node, group: Group): void {
    const runner = this.#sources.runnerOf(app);
    const latest = this.#sources.cacheOf(group).latest();
    if (!runner || !latest) return;
    runner.outlet.after(() => runner.sendSample(dataOf(latest, group.id), latest.layout, app.id));
  }

  removed(group: Group): void {
    this.#targets.delete(group);
  }

  forward(group: Group, sample: Sample): void {
    const targets = this.#targetsOf(group);
    if (targets.length === 0) return;
    const data = dataOf(sample, group.id);
    for (const runner of targets) runner.outlet.push({ ...data, layout: sample.layout });
  }

  /** Tells the apps that subscribe to a driver how it is now. */
  tellState(driver: Node): void {
    const targets = new Set([...driver.groups.values()].flatMap((group) => this.#targetsOf(group)));
    if (targets.size === 0) return;
    const drivers = [this.#sources.stateOf(driver)];
    for (const runner of targets) runner.outlet.after(() => runner.send({ op: 'drivers', drivers }));
  }

  #targetsOf(group: Group): readonly Supervisor[] {
    let targets = this.#targets.get(group);
    if (!targets) {
      const runners = [...group.subscriptions.keys()].map((app) => this.#sources.runnerOf(app));
      targets = [...new Set(runners)].filter((runner) => runner !== undefined);
      this.#targets.set(group, targets);
    }
    return targets;
  }
}
