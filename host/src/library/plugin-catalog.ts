import type { Log } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import type { Plugins } from '../core/ports/ports.ts';

/** The plugins of this gateway by their names. */
export class PluginCatalog implements Plugins {
  #plugins: readonly Plugin[];
  #byName: ReadonlyMap<string, Plugin> = new Map();
  #bySchema: ReadonlyMap<string, Plugin> = new Map();
  /** Sentences about aliases that lead to another plugin than the one that claims them. */
  #conflicts: readonly string[] = [];
  readonly #log: Log | undefined;

  /** In load order; ids and names do not repeat. Aliases that are of no use are named in the log. */
  constructor(plugins: readonly Plugin[], log?: Log) {
    this.#plugins = plugins;
    this.#log = log;
    this.#name();
  }

  all(): readonly Plugin[] {
    return this.#plugins;
  }

  byName(name: string): Plugin | undefined {
    return this.#byName.get(name);
  }

  byId(id: string): Plugin | undefined {
    return this.#plugins.find((plugin) => plugin.id === id);
  }

  bySchema(id: string): Plugin | undefined {
    return this.#bySchema.get(id);
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

  /** Warns of a conflict of aliases when it comes up, not again at every installation. */
  #name(): void {
    const known = this.#conflicts;
    const names = indexOf(this.#plugins, 'name', 'names');
    const ids = indexOf(this.#plugins, 'id', 'ids');
    this.#byName = names.found;
    this.#bySchema = ids.found;
    this.#conflicts = [...names.conflicts, ...ids.conflicts];
    for (const conflict of this.#conflicts) if (!known.includes(conflict)) this.#log?.warn(conflict);
  }
}

/**
 * The plugins by their own names, or ids, and by the aliases of these. A plugin's own name goes before any alias, and of two plugins that
 * claim one alias the first in load order has it.
 */
function indexOf(
  plugins: readonly Plugin[],
  own: 'name' | 'id',
  aliases: 'names' | 'ids',
): { readonly found: ReadonlyMap<string, Plugin>; readonly conflicts: readonly string[] } {
  const what = own === 'id' ? 'schema id' : 'name';
  const found = new Map(plugins.map((plugin) => [plugin[own], plugin]));
  const conflicts: string[] = [];
  for (const plugin of plugins) {
    for (const alias of plugin.aliases?.[aliases] ?? []) {
      const holder = found.get(alias);
      if (holder === undefined) found.set(alias, plugin);
      else if (holder !== plugin) {
        const claim = holder[own] === alias ? `is the ${what} of` : 'is an alias of';
        conflicts.push(
          `The plugin "${plugin.name}" cannot be called by its alias "${alias}", which ${claim} the plugin "${holder.name}". ` +
            `Remove one of the two libraries, or call this one by its own ${what} "${plugin[own]}".`,
        );
      }
    }
  }
  return { found, conflicts };
}
