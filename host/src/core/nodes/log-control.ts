import type { LogLevel } from '@tagway/schemas';
import type { Node } from '../model.ts';
import { checkLengths } from '../names.ts';
import type { State } from '../records/state.ts';

/** Changes log levels, for a while or until the next change. */
export class LogControl {
  readonly #state: State;
  readonly #revertAfter: number;
  readonly #reverts = new Map<Node | 'core', NodeJS.Timeout>();

  /** `revertAfter` in seconds; 0: never. */
  constructor(state: State, revertAfter: number) {
    this.#state = state;
    this.#revertAfter = revertAfter * 1000;
  }

  /** Throws NODE_NOT_FOUND, and changes nothing then. */
  set(level: LogLevel, name: string | undefined, core: boolean): void {
    const { logLevels } = this.#state.ports;
    if (name !== undefined) {
      checkLengths(name);
      const node = this.#state.node(name);
      logLevels.set(name, level);
      this.#state.ports.runtime.leveled(node);
      this.#later(node, () => this.#reset(node));
    }
    if (core) {
      logLevels.core = level;
      this.#later('core', () => (logLevels.core = logLevels.initial));
    }
  }

  #reset(node: Node): void {
    if (!this.#state.has(node)) return;
    this.#state.ports.logLevels.reset(node.name);
    this.#state.ports.runtime.leveled(node);
  }

  #later(target: Node | 'core', revert: () => void): void {
    clearTimeout(this.#reverts.get(target));
    if (this.#revertAfter === 0) return;
    const work = (): void => {
      this.#reverts.delete(target);
      revert();
    };
    this.#reverts.set(target, setTimeout(work, this.#revertAfter).unref());
  }
}
