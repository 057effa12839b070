import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the messages are looked into for: the age of their values, all of their values, or nothing. */
export type Look = 'ages' | 'values' | 'nothing';

/** One message at the subscriber. */
export interface Arrival {
  /** Milliseconds of the system's monotonic clock. */
  readonly at: number;
  readonly topic: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the device gave the first value, when the message holds the clock. */
  readonly age?: number;
  /** Number of values, of the messages in which they were counted. */
  readonly count?: number;
  /** All values but zeros. */
  readonly values?: readonly number[];
}

/** A subscriber in a process of its own, so that nothing else delays its clock. */
export class Listener {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** Subscribes. It ends with `stack`. */
  static async start(
    stack: AsyncDisposableStack,
    brokerPort: number,
    topic = 'bench',
    look: Look = 'ages',
  ): Promise<Listener> {
    const script = join(import.meta.dirname, 'listener-process.ts');
    const child = fork(script, [String(brokerPort), topic, look], {
      execArgv: [],
      serialization: 'advanced',
    });
    const listener = new Listener(child);
    stack.defer(() => listener.#stop());
    await once(child, 'message');
    return listener;
  }

  /** What arrived since the last call. */
  async take(): Promise<readonly Arrival[]> {
    const answer = once(this.#process, 'message');
    this.#process.send('take');
    const [arrivals] = (await answer) as [readonly Arrival[]];
    return arrivals;
  }

  async #stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}
