import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds before its kill in which a node may lose what it was given: a flush interval, and the time for the write. */
const mayLose = 1500;

export interface KillTurns {
  /** A script that delivers samples whose values count up from its last argument, and prints each number when it was delivered. */
  readonly node: URL;
  readonly args: readonly string[];
  readonly server: { begin(): Promise<void>; kill(): Promise<void> };
  /** Each kills the server, every second one the node too, while the server is away. */
  readonly turns: number;
}

/** How often the tests kill: twice, or as `KILLS` says. */
export const turns = Number(process.env['KILLS'] ?? 2);

/** Delivers while the node and its server are killed in turns. The numbers that were delivered, but for those that a killed node may lose. */
export async function killInTurns({ node, args, server, turns: count }: KillTurns): Promise<number[]> {
  const kept: number[] = [];
  let running = await DeliveringNode.start(node, args, 0);
  try {
    for (let turn = 0; turn < count; turn++) {
      await sleep(1500 + 500 * Math.random());
      if (turn % 2 === 0) {
        await server.kill();
        await sleep(800 * Math.random());
        await server.begin();
      } else {
        // Only with a server that is away the node has more than the last second to lose.
        await server.kill();
        await sleep(2 * mayLose);
        const next = running.next + 1;
        kept.push(...(await running.kill()));
        running = await DeliveringNode.start(node, args, next);
        await server.begin();
      }
    }
    kept.push(...(await running.finish()));
    return kept;
  } finally {
    await running.kill();
  }
}

class DeliveringNode {
  readonly #process: ChildProcess;
  readonly #delivered: { readonly number: number; readonly at: number }[] = [];
  readonly #exit: Promise<unknown>;

  private constructor(started: ChildProcess) {
    this.#process = started;
    this.#exit = once(started, 'exit');
    createInterface(started.stdout!).on('line', (line) =>
      this.#delivered.push({ number: Number(line), at: performance.now() }),
    );
  }

  static async start(script: URL, args: readonly string[], from: number): Promise<DeliveringNode> {
    const { pathname } = script;
    const options = [
      '--conditions=source',
      '--disable-warning=ExperimentalWarning',
      pathname,
      ...args,
      String(from),
    ];
    const node = new DeliveringNode(spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'] }));
    while (node.#delivered.length === 0) {
      if (node.#process.exitCode !== null) throw new Error('The node has ended.');
      await sleep(20);
    }
    return node;
  }

  /** The last number that was delivered. */
  get next(): number {
    return this.#delivered.at(-1)?.number ?? 0;
  }

  /** Kills it. What it must not have lost. */
  async kill(): Promise<number[]> {
    const before = performance.now() - mayLose;
    this.#process.kill('SIGKILL');
    await this.#exit;
    return this.#delivered.filter(({ at }) => at < before).map(({ number }) => number);
  }

  /** Lets it deliver nothing more, send what is left, and end. All that it was given. */
  async finish(): Promise<number[]> {
    this.#process.stdin?.end();
    await this.#exit;
    return this.#delivered.map(({ number }) => number);
  }
}
