import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The TwinCAT controller of peers/ads.ts in a process of its own. */
export class AdsPlc {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(): Promise<AdsPlc> {
    const child = fork(join(import.meta.dirname, 'peers/ads.ts'), [], { execArgv: [] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new AdsPlc(child, port);
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return {
      ...{ host: '127.0.0.1', port: this.port },
      ...{ src_ams_net_id: '10.0.0.1.1.1', dst_ams_net_id: '5.23.91.10.1.1' },
    };
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
