import type { Log } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import type { Plugins } from '../core/ports.ts';
import { discover } from './discover.ts';

/** The plugins of this gateway by their names. */
export class PluginCatalog implements Plugins {
  #plugins: readonly Plugin[];

  /** In load order; ids and names do not repeat. */
  constructor(plugins: readonly Plugin[]) {
    this.#plugins = plugins;
  }

  /**
   * The libraries in the subfolders of `system`, which come with the gateway, and of `custom`, which users added. What is wrong
   * with one of them is said in the log and costs that one alone.
   */
  static async discover(system: readonly string[], custom: string, log: Log): Promise<PluginCatalog> {
    return new PluginCatalog(await discover(system, custom, log));
  }

  all(): readonly Plugin[] {
    return this.#plugins;
  }

  byName(name: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.name === name);
  }

  byId(id: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.id === id);
  }

  put(plugin: Plugin): void {
    const known = this.byId(plugin.id);
    this.#plugins =
      known === undefined
        ? [...this.#plugins, plugin]
        : this.#plugins.map((one) => (one === known ? plugin : one));
  }

  remove(plugin: Plugin): void {
    this.#plugins = this.#plugins.filter((one) => one.id !== plugin.id);
  }
}
