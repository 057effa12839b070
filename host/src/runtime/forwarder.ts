import type { Layout, Sample } from '@tagway/sdk';
import type { Group, Node } from '../core/model.ts';
import type { GroupCache } from './group-cache.ts';
import type { Supervisor } from './supervisor.ts';

/** Carries samples to the runners of subscribed apps: once per runner, however many of its apps want them. */
export class Forwarder {
  readonly #runnerOf: (app: Node) => Supervisor | undefined;
  readonly #cacheOf: (group: Group) => GroupCache;
  readonly #targets = new Map<Group, readonly Supervisor[]>();
  /** The layout version that each runner has of each group. */
  readonly #sent = new Map<Supervisor, Map<number, number>>();

  /** `runnerOf` gives the runner that has been told of an app's run. */
  constructor(runnerOf: (app: Node) => Supervisor | undefined, cacheOf: (group: Group) => GroupCache) {
    this.#runnerOf = runnerOf;
    this.#cacheOf = cacheOf;
  }

  /** The runs of apps changed. */
  rerouted(): void {
    this.#targets.clear();
  }

  /** Tells an app's runner of all its subscriptions. */
  route(app: Node): void {
    this.#targets.clear();
    const runner = this.#runnerOf(app);
    if (!runner) return;
    for (const group of app.subscriptions.keys()) {
      const cache = this.#cacheOf(group);
      this.#sendLayout(runner, group, cache.latest()?.layout ?? cache.layout);
    }
    const routes = [...app.subscriptions.values()].map(({ group, params }) => ({ group: group.id, params }));
    runner.send({ op: 'routes', node: app.id, routes });
  }

  /** Gives one app at once what is known of a group, unchanged tags included. */
  reportLatest(app: Node, group: Group): void {
    const runner = this.#runnerOf(app);
    const latest = this.#cacheOf(group).latest();
    if (!runner || !latest) return;
    const { report: _all, ...sample } = latest.sample;
    this.#sendLayout(runner, group, latest.layout);
    runner.send({ op: 'sample', sample, node: app.id });
  }

  removed(group: Group): void {
    this.#targets.delete(group);
    for (const versions of this.#sent.values()) versions.delete(group.id);
  }

  /** The runner is a new one and knows nothing. */
  forget(runner: Supervisor): void {
    this.#sent.delete(runner);
  }

  forward(group: Group, sample: Sample, layout: Layout): void {
    for (const runner of this.#targetsOf(group)) {
      this.#sendLayout(runner, group, layout);
      runner.outlet.push(sample);
    }
  }

  /** A layout goes ahead of the first sample of its version. */
  #sendLayout(runner: Supervisor, group: Group, layout: Layout): void {
    let versions = this.#sent.get(runner);
    if (!versions) {
      versions = new Map();
      this.#sent.set(runner, versions);
    }
    if (versions.get(group.id) === layout.version) return;
    versions.set(group.id, layout.version);
    runner.send({ op: 'layout', group: group.id, layout });
  }

  #targetsOf(group: Group): readonly Supervisor[] {
    let targets = this.#targets.get(group);
    if (!targets) {
      const runners = [...group.subscriptions.keys()].map((app) => this.#runnerOf(app));
      targets = [...new Set(runners)].filter((runner) => runner !== undefined);
      this.#targets.set(group, targets);
    }
    return targets;
  }
}
