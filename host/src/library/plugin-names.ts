import type { Plugin } from '../core/model.ts';

/**
 * Every word by which clients may call the plugins. A plugin's own name or id goes before any alias, and of two plugins that
 * claim one alias the first in load order has it.
 */
export class PluginNames {
  /** By name and by alias. */
  readonly byName: ReadonlyMap<string, Plugin>;
  /** By id and by alias. */
  readonly bySchema: ReadonlyMap<string, Plugin>;
  /** Sentences about aliases that lead to another plugin than the one that claims them. */
  readonly conflicts: readonly string[];

  constructor(plugins: readonly Plugin[]) {
    const conflicts: string[] = [];
    this.byName = index(
      plugins,
      'name',
      ({ name }) => name,
      ({ aliases }) => aliases?.names,
      conflicts,
    );
    this.bySchema = index(
      plugins,
      'schema id',
      ({ id }) => id,
      ({ aliases }) => aliases?.ids,
      conflicts,
    );
    this.conflicts = conflicts;
  }
}

function index(
  plugins: readonly Plugin[],
  what: string,
  ownOf: (plugin: Plugin) => string,
  aliasesOf: (plugin: Plugin) => readonly string[] | undefined,
  conflicts: string[],
): Map<string, Plugin> {
  const found = new Map(plugins.map((plugin) => [ownOf(plugin), plugin]));
  for (const plugin of plugins) {
    for (const alias of aliasesOf(plugin) ?? []) {
      const holder = found.get(alias);
      if (holder === undefined) found.set(alias, plugin);
      else if (holder !== plugin) {
        const claim = ownOf(holder) === alias ? `is the ${what} of` : 'is an alias of';
        conflicts.push(
          `The plugin "${plugin.name}" cannot be called by its alias "${alias}", which ${claim} the plugin "${holder.name}". ` +
            `Remove one of the two libraries, or call this one by its own ${what} "${ownOf(plugin)}".`,
        );
      }
    }
  }
  return found;
}
