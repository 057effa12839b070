import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The S7 PLC of peers/s7.ts in a process of its own. */
export class S7Plc {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(): Promise<S7Plc> {
    const child = fork(join(import.meta.dirname, 'peers/s7.ts'), [], { execArgv: [] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new S7Plc(child, port);
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.port, rack: 0, slot: 1 };
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
