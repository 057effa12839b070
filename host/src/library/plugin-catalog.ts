import type { Log } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import type { Plugins } from '../core/ports.ts';
import { discover } from './discover.ts';
import { PluginNames } from './plugin-names.ts';

/** The plugins of this gateway by their names. */
export class PluginCatalog implements Plugins {
  #plugins: readonly Plugin[];
  #names = new PluginNames([]);
  readonly #log: Log | undefined;

  /** In load order; ids and names do not repeat. Aliases that are of no use are named in the log. */
  constructor(plugins: readonly Plugin[], log?: Log) {
    this.#plugins = plugins;
    this.#log = log;
    this.#name();
  }

  /**
   * The libraries in the subfolders of `system`, which come with the gateway, and of `custom`, which users added. What is wrong
   * with one of them is said in the log and costs that one alone.
   */
  static async discover(system: readonly string[], custom: string, log: Log): Promise<PluginCatalog> {
    return new PluginCatalog(await discover(system, custom, log), log);
  }

  all(): readonly Plugin[] {
    return this.#plugins;
  }

  byName(name: string): Plugin | undefined {
    return this.#names.byName.get(name);
  }

  byId(id: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.id === id);
  }

  bySchema(id: string): Plugin | undefined {
    return this.#names.bySchema.get(id);
  }

  put(plugin: Plugin): void {
    const known = this.byId(plugin.id);
    this.#plugins =
      known === undefined
        ? [...this.#plugins, plugin]
        : this.#plugins.map((one) => (one === known ? plugin : one));
    this.#name();
  }

  remove(plugin: Plugin): void {
    this.#plugins = this.#plugins.filter((one) => one.id !== plugin.id);
    this.#name();
  }

  /** A conflict of aliases is said when it comes up, not again at every installation. */
  #name(): void {
    const known = this.#names.conflicts;
    this.#names = new PluginNames(this.#plugins);
    for (const conflict of this.#names.conflicts) if (!known.includes(conflict)) this.#log?.warn(conflict);
  }
}
