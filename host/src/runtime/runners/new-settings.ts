import { NodeType } from '@tagway/schemas';
import type { Node } from '../../core/model.ts';
import { waits } from '../runtime-options.ts';
import type { NodeRun, NodeRuns } from './node-runs.ts';
import type { Runners } from './runners.ts';

/** Gives apps that run the settings that their nodes have now. */
export class NewSettings {
  readonly runs: NodeRuns;
  readonly runners: Runners;
  readonly #routed: (app: Node) => void;

  /** `routed`: what the settings of an app refer to may be something else, or in another order. */
  constructor(runs: NodeRuns, runners: Runners, routed: (app: Node) => void) {
    this.runs = runs;
    this.runners = runners;
    this.#routed = routed;
  }

  /**
   * Whether nothing is left to do: the app goes on with them, or its run has ended meanwhile. Otherwise it has to start anew. Undefined, at once,
   * where that is so in any case.
   */
  taken(run: NodeRun): Promise<boolean> | undefined {
    const { node, name, started, mode } = run;
    const mayGoOn = node.plugin.nodeType === NodeType.APP && started && mode !== 'tail' && node.name === name;
    return mayGoOn ? this.#ask(run) : undefined;
  }

  async #ask(run: NodeRun): Promise<boolean> {
    const { id, plugin, settings = {} } = run.node;
    // The runner may be gone, or not answer.
    const isTaken = await this.runners
      .of(plugin)
      .ask<'settings'>({ op: 'settings', node: id, settings }, waits.settings)
      .catch(() => false);
    if (!this.runs.isCurrent(run)) return true;
    if (!isTaken) return false;
    run.settings = settings;
    this.#routed(run.node);
    return true;
  }
}
