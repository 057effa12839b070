import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One message at the subscriber. */
export interface Arrival {
  /** Milliseconds of the system's monotonic clock. */
  readonly at: number;
  /** Milliseconds since the device gave the first value, when the message holds the clock. */
  readonly age: number | undefined;
  /** Number of values and errors, of messages that were looked into. */
  readonly values: number | undefined;
  readonly errors: number | undefined;
}

/** A subscriber in a process of its own, so that nothing else delays its clock. */
export class Listener {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  static async start(brokerPort: number, topic: string): Promise<Listener> {
    const script = join(import.meta.dirname, 'listener-process.ts');
    const child = fork(script, [String(brokerPort), topic], { execArgv: [], serialization: 'advanced' });
    await once(child, 'message');
    return new Listener(child);
  }

  /** The messages since the last call. */
  async take(): Promise<readonly Arrival[]> {
    const answer = once(this.#process, 'message');
    this.#process.send('take');
    const [arrivals] = (await answer) as [readonly Arrival[]];
    return arrivals;
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
