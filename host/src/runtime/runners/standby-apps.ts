import type { Node } from '../../core/model.ts';
import type { Launcher } from './launcher.ts';
import type { NewSettings } from './new-settings.ts';
import { isAsBefore, type NodeRun } from './node-runs.ts';

/** Runs apps at the standby gateway of a pair: those that serve their clients there, and tails of others. */
export class StandbyApps {
  readonly #launcher: Launcher;
  readonly #newSettings: NewSettings;
  readonly #reset: (node: Node) => void;

  /** `reset` starts a node again that the active gateway runs. */
  constructor(launcher: Launcher, newSettings: NewSettings, reset: (node: Node) => void) {
    this.#launcher = launcher;
    this.#newSettings = newSettings;
    this.#reset = reset;
  }

  start(app: Node): void {
    const before = this.#newSettings.runs.get(app);
    if (before === undefined) this.#begin(app);
    else if (app.plugin.servesAtStandby === true && !isAsBefore(before)) void this.#change(before);
  }

  #begin(app: Node): void {
    const run = this.#newSettings.runs.begin(app, app.plugin.servesAtStandby === true ? 'standby' : 'tail');
    const supervisor = this.#newSettings.runners.of(app.plugin);
    supervisor.ensure();
    if (supervisor.isUp) this.#launcher.launchLater(run);
  }

  async #change(run: NodeRun): Promise<void> {
    const taken = this.#newSettings.taken(run);
    if (taken !== undefined && (await taken)) return;
    // This gateway has become the active one meanwhile.
    if (run.mode === 'active') this.#reset(run.node);
    else this.#begin(run.node);
  }
}
