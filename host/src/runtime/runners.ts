import type { Plugin } from '../core/model.ts';
import type { RuntimeOptions } from './runtime-options.ts';
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
    let supervisor = this.#byPlugin.get(plugin.id);
    if (!supervisor) {
      const { open, log, times } = this.#options;
      supervisor = new Supervisor(plugin, open, this.#eventsOf(plugin), log, times);
      this.#byPlugin.set(plugin.id, supervisor);
    }
    return supervisor;
  }

  /** Undefined when none has been needed yet. */
  get({ id }: Plugin): Supervisor | undefined {
    return this.#byPlugin.get(id);
  }

  /** Keeps those of these plugins loaded though no node of theirs runs, and no others any more. */
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

  /** What comes for this plugin gets a runner of its own. */
  delete({ id }: Plugin): void {
    this.#byPlugin.delete(id);
  }
}
