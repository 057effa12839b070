import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The S7 PLC of peers/s7.ts in a process of its own. */
export class S7Plc {
  #port = 0;
  #process: ChildProcess | undefined;

  static async start(): Promise<S7Plc> {
    const plc = new S7Plc();
    await plc.start();
    return plc;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.#port, rack: 0, slot: 1, timeout: 1000 };
  }

  /** Starts the process, again on the port that it had. */
  async start(): Promise<void> {
    const script = join(import.meta.dirname, 'peers/s7.ts');
    const child = fork(script, [JSON.stringify({ port: this.#port })], { execArgv: [] });
    this.#process = child;
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    this.#port = port;
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}
