import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface FastDeviceOptions {
  /** Default 0: a free one. */
  readonly port?: number;
  /** Units that never answer. */
  readonly silent?: readonly number[];
  /** Units for which it closes the connection. */
  readonly absent?: readonly number[];
  /** A register for which it closes the connection. */
  readonly trap?: number;
  /** Closes all connections so often, in milliseconds, whatever they are doing. */
  readonly cutEvery?: number;
  /** Milliseconds until it answers. Default 0. */
  readonly delay?: number;
  /** Number of registers; one beyond is refused with exception 2. Default 65536. */
  readonly size?: number;
  /** Registers below this address change by themselves. Default: all. */
  readonly changing?: number;
}

/** A register that was written. */
export interface SeenWrite {
  readonly address: number;
  readonly value: number;
  /** Milliseconds of the system's monotonic clock, which all processes share. */
  readonly at: number;
}

/** The fast Modbus device in a process of its own. */
export class FastDevice {
  readonly port: number;
  readonly pid: number;
  onWrite: ((write: SeenWrite) => void) | undefined;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
    this.pid = process.pid ?? 0;
    process.on('message', (write: SeenWrite) => this.onWrite?.(write));
  }

  static async start(options: FastDeviceOptions = {}): Promise<FastDevice> {
    const child = fork(join(import.meta.dirname, 'fast-device-process.ts'), [JSON.stringify(options)], {
      execArgv: [],
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new FastDevice(child, port);
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
