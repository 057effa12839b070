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

/** A subscriber in a process of its own, so that nothing else delays its clock. What it notes is its script's business. */
export class Listener<Note = Arrival> {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  static async start<Note = Arrival>(
    brokerPort: number,
    topic: string,
    script = 'listener-process.ts',
  ): Promise<Listener<Note>> {
    const path = join(import.meta.dirname, script);
    const child = fork(path, [String(brokerPort), topic], { execArgv: [], serialization: 'advanced' });
    await once(child, 'message');
    return new Listener<Note>(child);
  }

  /** What was noted since the last call. */
  async take(): Promise<readonly Note[]> {
    const answer = once(this.#process, 'message');
    this.#process.send('take');
    const [notes] = (await answer) as [readonly Note[]];
    return notes;
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
