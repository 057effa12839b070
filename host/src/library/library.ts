import type { Plugin } from '../core/model.ts';
import type { Plugins } from '../core/ports.ts';

/** The plugins of this gateway by their names. */
export class Library implements Plugins {
  readonly #plugins: readonly Plugin[];

  /** In load order; ids and names do not repeat. */
  constructor(plugins: readonly Plugin[]) {
    this.#plugins = plugins;
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
}
