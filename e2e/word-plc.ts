import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** The simulated device of a plugin's tests, in a process of its own: see its script. Values of PLCs and meters, such as D1, D2 …, change ten times a second; the first is a clock. */
export class WordPlc {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(plugin: 'bacnet' | 'dlt645' | 'fins' | 'iec104' | 'nona11' | 'qna3e'): Promise<WordPlc> {
    const script = join(import.meta.dirname, '../plugins', plugin, 'test/simulator-process.ts');
    const child = fork(script, [], { execArgv: [] });
    alive.add(child);
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof message !== 'object' || message === null || !('port' in message))
      throw new Error(`The device of ${plugin} ended with ${String(message)} before it was ready.`);
    return new WordPlc(child, Number(message.port));
  }

  /** Has the device do something; its script says what it understands. */
  tell(message: object): void {
    this.#child.send(message);
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
    alive.delete(this.#child);
  }
}
