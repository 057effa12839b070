import type { Plugin } from '../../core/model.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { Supervisor, type SupervisorEvents } from './supervisor.ts';

/** The runners of the plugins, one for each that has been needed. */
export class Runners {
  readonly #options: RuntimeOptions;
  readonly #eventsOf: (plugin: Plugin) => SupervisorEvents;
  readonly #byPlugin = new Map<string, Supervisor>();
  #warm: ReadonlySet<string> = new Set();

  constructor(options: RuntimeOptions, eventsOf: (plugin: Plugin) => SupervisorEvents) {
    this.#options = options;
    this.#eventsOf = eventsOf;
  }

  of(plugin: Plugin): Supervisor {
    const { open, log, times } = this.#options;
    return getOrMake(
      this.#byPlugin,
      plugin.id,
      () => new Supervisor(plugin, open, this.#eventsOf(plugin), log, times),
    );
  }

  /** Undefined when none has been needed yet. */
  get({ id }: Plugin): Supervisor | undefined {
    return this.#byPlugin.get(id);
  }

  /** Keeps the runners of these plugins, and of no others, loaded while no node of theirs runs. */
  warm(plugins: readonly Plugin[]): void {
    const before = this.#warm;
    this.#warm = new Set(plugins.map(({ id }) => id));
    for (const plugin of plugins) this.of(plugin).ensure();
    for (const id of before) this.#byPlugin.get(id)?.release();
  }

  isWarm({ id }: Plugin): boolean {
    return this.#warm.has(id);
  }

  /** Ends those of some plugins, or all; resolves when they are gone. */
  async close(which: (plugin: Plugin) => boolean = () => true): Promise<void> {
    const chosen = [...this.#byPlugin.values()].filter(({ plugin }) => which(plugin));
    await Promise.all(chosen.map((supervisor) => supervisor.close()));
  }

  /** The next node of this plugin gets a new runner. */
  delete({ id }: Plugin): void {
    this.#byPlugin.delete(id);
  }
}
