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
  }

  /** Another version of a plugin is there, or it is gone. */
  async replug(plugin: string): Promise<void> {
    await this.#state.settle(() => this.#replica.replug(plugin));
  }

  /** Ids of the plugins that nodes need. */
  pluginsInUse(): Set<string> {
    return new Set(Array.from(this.#state.nodes.values(), ({ plugin }) => plugin.id));
  }
}
