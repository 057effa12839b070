import { setTimeout as delay } from 'node:timers/promises';
import type { Node } from '../../core/model.ts';
import { isDriver, waits } from '../runtime-options.ts';
import type { NodeRuns } from './node-runs.ts';
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

/** Stops the nodes of a gateway that ends: apps first, because what they have begun at the devices they end while the drivers run. */
export async function stopInOrder(runs: NodeRuns, stop: (node: Node) => Promise<unknown>): Promise<void> {
  const nodes = (): Node[] => runs.all().map(({ node }) => node);
  const apps = nodes().filter(({ plugin }) => !isDriver(plugin));
  await Promise.race([Promise.all(apps.map(stop)), delay(waits.appsFirst)]);
  await Promise.all(nodes().map(stop));
}
