import type { Layout, Sample } from '@tagway/sdk';
import type { Group, Node } from '../core/model.ts';
import type { Supervisor } from './supervisor.ts';

/** Carries samples to the runners of subscribed apps: once per runner, however many of its apps want them. */
export class Forwarder {
  readonly #runnerOf: (app: Node) => Supervisor | undefined;
  readonly #targets = new Map<Group, readonly Supervisor[]>();
  /** The layout version that each runner has of each group. */
  readonly #sent = new Map<Supervisor, Map<number, number>>();

  constructor(runnerOf: (app: Node) => Supervisor | undefined) {
    this.#runnerOf = runnerOf;
  }

  /** Subscriptions changed, or the runs of apps did. */
  rerouted(): void {
    this.#targets.clear();
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
      this.sendLayout(runner, group.id, layout);
      runner.outlet.push(sample);
    }
  }

  /** A layout goes ahead of the first sample of its version. */
  sendLayout(runner: Supervisor, group: number, layout: Layout): void {
    let versions = this.#sent.get(runner);
    if (!versions) {
      versions = new Map();
      this.#sent.set(runner, versions);
    }
    if (versions.get(group) === layout.version) return;
    versions.set(group, layout.version);
    runner.send({ op: 'layout', group, layout });
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
