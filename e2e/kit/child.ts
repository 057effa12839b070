import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ChildOptions {
  /** The child is ready when a line of its output matches. */
  readonly ready: RegExp;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gives the child a process group of its own, by which its descendants can be found. */
  readonly group?: boolean;
  /** Milliseconds until the line must have come. */
  readonly within?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const alive = new Set<Child>();
process.on('exit', () => {
  for (const child of alive) child.signal('SIGKILL');
});

/** A process that a test started; it never outlives the test run. */
export class Child {
  readonly pid: number;
  /** Resolves when the process is gone. */
  readonly exited: Promise<Exit>;
  /** What the line that showed readiness matched. */
  match: RegExpMatchArray | undefined;
  readonly #process: ChildProcess;
  readonly #group: boolean;
  readonly #lines: string[] = [];

  private constructor(command: string, args: readonly string[], options: ChildOptions) {
    this.#group = options.group === true;
    this.#process = spawn(command, args, {
      // Some peers end with their standard input, which is when this process ends, however it does.
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: this.#group,
      // The options with which the tests themselves run are not for the programs under test.
      env: { ...process.env, NODE_OPTIONS: undefined, ...options.env },
    });
    this.pid = this.#process.pid ?? 0;
    alive.add(this);
    this.exited = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#lines.push(error.message);
        resolve({ code: null, signal: null });
      });
      this.#process.once('exit', (code, signal) => {
        if (!this.#group) alive.delete(this);
        resolve({ code, signal });
      });
    });
  }

  /** Starts a process and waits until it says that it is ready. */
  static async start(command: string, args: readonly string[], options: ChildOptions): Promise<Child> {
    const child = new Child(command, args, options);
    const { within = 20_000 } = options;
    try {
      child.match = await new Promise<RegExpMatchArray>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(
            new Error(`${command} ${args.join(' ')} was not ready after ${within} ms:\n${child.output}`),
          );
        }, within);
        const look = (line: string): void => {
          child.#lines.push(line);
          if (child.#lines.length > 400) child.#lines.shift();
          const match = line.match(options.ready);
          if (match === null) return;
          clearTimeout(timer);
          resolve(match);
        };
        for (const stream of [child.#process.stdout, child.#process.stderr]) {
          if (stream !== null) createInterface({ input: stream }).on('line', look);
        }
        void child.exited.then(async ({ code, signal }) => {
          clearTimeout(timer);
          await sleep(50); // The last lines may come after the exit.
          reject(
            new Error(
              `${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}:\n${child.output}`,
            ),
          );
        });
      });
    } catch (error) {
      child.signal('SIGKILL');
      child.release();
      throw error;
    }
    return child;
  }

  /** The last lines the process wrote, for the message of a failed test. */
  get output(): string {
    return this.#lines.join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid === 0) return;
    const living = this.#process.exitCode === null && this.#process.signalCode === null;
    // A group is addressed as a whole as a terminal does for ^C, and to clean up; other signals are for the process itself.
    const whole = this.#group && alive.has(this) && (signal === 'SIGKILL' || signal === 'SIGINT');
    try {
      if (whole) process.kill(-this.pid, signal);
      else if (living) process.kill(this.pid, signal);
    } catch {
      // It is gone already.
    }
  }

  /** Sends SIGKILL to this process alone, not to its group. */
  crash(): void {
    this.#process.kill('SIGKILL');
  }

  /** The process and its group are known to be gone. */
  release(): void {
    alive.delete(this);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM', within = 5_000): Promise<Exit> {
    this.signal(signal);
    const timer = setTimeout(() => this.signal('SIGKILL'), within);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }
}
