import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A device in a process of its own, whose script tells the port that it listens on. */
export class DeviceProcess {
  readonly #script: string;
  #port = 0;
  #child: ChildProcess | undefined;

  /** `script`: its path from this folder. */
  constructor(script: string) {
    this.#script = join(import.meta.dirname, script);
  }

  get port(): number {
    return this.#port;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Starts the process; one that was stopped is told to listen on the port that it had. */
  async start(): Promise<void> {
    const child = fork(this.#script, [JSON.stringify({ port: this.#port })], { execArgv: [] });
    this.#child = child;
    alive.add(child);
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof message !== 'object' || message === null || !('port' in message))
      throw new Error(`${this.#script} ended with ${String(message)} before it was ready.`);
    this.#port = Number(message.port);
  }

  /** Has the device do something; its script says what it understands. */
  tell(message: object): void {
    this.#child?.send(message);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    alive.delete(child);
  }
}
