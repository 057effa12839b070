import { setTimeout as delay } from 'node:timers/promises';
import type { Node } from '../../core/model.ts';
import { waits } from '../runtime-options.ts';
import type { Supervisor } from './supervisor.ts';

interface Ending {
  readonly node: Node;
  /** Calls of `stop` that are under way. */
  stops: number;
  /** Writes of the node that are under way. */
  writes: number;
}

/** Nodes that their plugins are stopping: what they ask is still answered, so that an app can end at its devices what it has begun. */
export class Endings {
  readonly #endings = new Map<number, Ending>();

  /** The node of this number, while its plugin stops it. */
  get(id: number): Node | undefined {
    return this.#endings.get(id)?.node;
  }

  /** A node that stops writes: the runner may take as long for its stop as the contract of plugins has it. */
  async writing<T>(id: number, write: Promise<T>): Promise<T> {
    const ending = this.#endings.get(id);
    if (ending !== undefined) ending.writes++;
    try {
      return await write;
    } finally {
      if (ending !== undefined) ending.writes--;
    }
  }

  /** Has the runner stop a node. Resolves with false when it has not in time; what the node asks is answered until it has. */
  async stop(runner: Supervisor, node: Node): Promise<boolean> {
    const ending = this.#endings.get(node.id) ?? { node, stops: 0, writes: 0 };
    this.#endings.set(node.id, ending);
    ending.stops++;
    const stopped = runner.ask<'stop'>({ op: 'stop', node: node.id }, waits.pluginStop).then(
      () => true,
      () => false,
    );
    void stopped.finally(() => {
      if (--ending.stops === 0) this.#endings.delete(node.id);
    });
    const isInTime = await Promise.race([stopped, delay(waits.stop)]);
    if (isInTime !== undefined || ending.writes === 0) return isInTime ?? false;
    return Promise.race([stopped, delay(waits.lastWrites, false)]);
  }
}
