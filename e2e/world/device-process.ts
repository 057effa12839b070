import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A device in a process of its own, whose script tells the port that it listens on. */
export class DeviceProcess {
  readonly #script: string;
  readonly #options: object;
  readonly #serialization: SerializationType;
  #port: number;
  #child: ChildProcess | undefined;

  /**
   * `script`: its path from e2e. It gets the options as JSON, with a port that is 0 for a free one. Messages are JSON too, unless
   * `serialization` says otherwise.
   */
  constructor(script: string, options: object = {}, serialization: SerializationType = 'json') {
    this.#script = join(import.meta.dirname, '..', script);
    this.#options = options;
    this.#serialization = serialization;
    this.#port = 'port' in options ? Number(options.port) : 0;
  }

  get port(): number {
    return this.#port;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Starts the process; one that was stopped is told to listen on the port that it had. */
  async start(): Promise<void> {
    const args = [JSON.stringify({ ...this.#options, port: this.#port })];
    const child = fork(this.#script, args, { execArgv: [], serialization: this.#serialization });
    this.#child = child;
    alive.add(child);
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof message !== 'object' || message === null || !('port' in message))
      throw new Error(`${this.#script} ended with ${String(message)} before it was ready.`);
    this.#port = Number(message.port);
    child.on('message', (said) => this.heard(said));
  }

  /** Makes it silent: it takes what comes and answers nothing until it goes on. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Sends the device a command; its script says what it understands. */
  send(message: object): void {
    this.#child?.send(message);
  }

  /** What the script says after its port. */
  protected heard(_message: unknown): void {
    // Most scripts say nothing more.
  }

  /** SIGKILL. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    alive.delete(child);
  }
}
