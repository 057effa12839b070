import { isToRun } from './launches.ts';
import type { Plugin } from './model.ts';
import type { StoreChanges } from './ports.ts';
import type { Replica, Touched } from './replica.ts';
import type { State } from './state.ts';

/** Keeps the objects of a gateway that runs nothing as another gateway changes what is stored. */
export class Follower {
  readonly #state: State;
  readonly #replica: Replica;
  readonly #told: (touched: Touched) => void;

  constructor(state: State, replica: Replica, told: (touched: Touched) => void) {
    this.#state = state;
    this.#replica = replica;
    this.#told = told;
  }

  /** Changes of one other gateway, in their order; they take turns. What belonged to a deleted node, such as its outage cache, is deleted. */
  async apply(changes: StoreChanges): Promise<void> {
    await this.#state.settle(async () => {
      const touched = await this.#replica.apply(changes);
      this.#told(touched);
      const { runtime, logLevels } = this.#state.ports;
      const { nodes, groups, names } = touched.gone;
      for (const name of [...names, ...nodes.map((node) => node.name)]) logLevels.reset(name);
      for (const group of touched.groups) if (!groups.includes(group)) runtime.changed(group);
      for (const group of groups) runtime.removed(group);
      for (const app of touched.apps) if (this.#state.has(app)) runtime.routed(app);
      await Promise.all(nodes.map((node) => runtime.forget(node)));
    });
    this.warm();
  }

  /** A library was put in its place, perhaps of another version of a plugin. */
  async plugged(plugin: Plugin): Promise<void> {
    const { plugins, runtime } = this.#state.ports;
    plugins.put(plugin);
    await this.#state.settle(() => this.#replica.replug(plugin.id));
    await runtime.replace(plugin, { trial: false });
    this.warm();
  }

  /** A library was removed. */
  async unplugged(plugin: Plugin): Promise<void> {
    const { plugins, runtime } = this.#state.ports;
    plugins.remove(plugin);
    runtime.retire(plugin);
    await this.#state.settle(() => this.#replica.replug(plugin.id));
    this.warm();
  }

  /** Has the plugins loaded whose nodes are to run as soon as this gateway is started. */
  warm(): void {
    const needed = new Map<string, Plugin>();
    for (const node of this.#state.nodes.values()) if (isToRun(node)) needed.set(node.plugin.id, node.plugin);
    this.#state.ports.runtime.warm([...needed.values()]);
  }
}
