import { isToRun } from '../nodes/launches.ts';
import type { Plugin } from '../model.ts';
import type { StoreChanges } from '../ports/ports.ts';
import type { Replica } from './replica.ts';
import type { State } from './state.ts';
import type { Touched } from './touched.ts';

/** Updates the objects of a standby with the changes that the active gateway stores. */
export class Follower {
  readonly #state: State;
  readonly #replica: Replica;
  readonly #changed: (touched: Touched) => void;

  constructor(state: State, replica: Replica, changed: (touched: Touched) => void) {
    this.#state = state;
    this.#replica = replica;
    this.#changed = changed;
  }

  /** Applies changes of another gateway, one after the other. What belonged to a deleted node, such as its outage cache, is deleted. */
  async apply(changes: StoreChanges): Promise<void> {
    await this.#state.settle(async () => {
      const touched = await this.#replica.apply(changes);
      this.#changed(touched);
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

  /** A plugin was installed or upgraded. */
  async plugged(plugin: Plugin): Promise<void> {
    const { plugins, runtime } = this.#state.ports;
    plugins.put(plugin);
    await this.#state.settle(async () => this.#replica.replug(plugin.id));
    await runtime.replace(plugin, { trial: false });
    this.warm();
  }

  /** A library was removed. */
  async unplugged(plugin: Plugin): Promise<void> {
    const { plugins, runtime } = this.#state.ports;
    plugins.remove(plugin);
    runtime.retire(plugin);
    await this.#state.settle(async () => this.#replica.replug(plugin.id));
    this.warm();
  }

  /** Has the plugins loaded whose nodes are to run as soon as this gateway is started. */
  warm(): void {
    const needed = new Map<string, Plugin>();
    for (const node of this.#state.nodes.values()) if (isToRun(node)) needed.set(node.plugin.id, node.plugin);
    this.#state.ports.runtime.warm([...needed.values()]);
  }
}
