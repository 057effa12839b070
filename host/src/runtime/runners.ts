import type { Plugin } from '../core/model.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { Supervisor, type SupervisorEvents } from './supervisor.ts';

/** The runners of the plugins, one for each that has been needed. */
export class Runners {
  readonly #options: RuntimeOptions;
  readonly #eventsOf: (plugin: Plugin) => SupervisorEvents;
  readonly #byPlugin = new Map<string, Supervisor>();

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

  all(): Iterable<Supervisor> {
    return this.#byPlugin.values();
  }

  /** What comes for this plugin gets a runner of its own. */
  delete({ id }: Plugin): void {
    this.#byPlugin.delete(id);
  }
}
