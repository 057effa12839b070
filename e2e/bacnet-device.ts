import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The BACnet device of peers/bacnet.ts in a process of its own. */
export class BacnetDevice {
  #port = 0;
  #process: ChildProcess | undefined;

  static async start(): Promise<BacnetDevice> {
    const device = new BacnetDevice();
    await device.start();
    return device;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.#port };
  }

  /** Starts the process, again on the port that it had. */
  async start(): Promise<void> {
    const script = join(import.meta.dirname, 'peers/bacnet.ts');
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
