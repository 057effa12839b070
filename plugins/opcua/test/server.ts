import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = join(import.meta.dirname, '../../../e2e/peers/opcua.ts');

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** The test server of e2e/peers, in a process of its own; its options are described there. */
export class Server implements AsyncDisposable {
  readonly #options: Record<string, unknown>;
  readonly #pki: string;
  readonly #answers = new Map<number, (value: unknown) => void>();
  #child: ChildProcess | undefined;
  #next = 1;
  port = 0;

  private constructor(options: Record<string, unknown>) {
    this.#options = options;
    this.#pki = mkdtempSync(join(tmpdir(), 'tagway-opcua-server-'));
  }

  static async start(options: Record<string, unknown> = {}): Promise<Server> {
    const server = new Server(options);
    await server.start();
    return server;
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${this.port}/`;
  }

  /** Folder of the server's own certificate manager. */
  get pki(): string {
    return join(this.#pki, 'server');
  }

  /** Starts the process, again on the port that it had. */
  async start(): Promise<void> {
    const options = { ...this.#options, port: this.port, pki: this.#pki };
    const child = fork(script, [JSON.stringify(options)], { execArgv: [], serialization: 'advanced' });
    alive.add(child);
    this.#child = child;
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof message !== 'object' || message === null || !('port' in message))
      throw new Error(`The test server ended with ${String(message)} before it was ready.`);
    this.port = Number(message.port);
    child.on('message', (answer: { id: number; value: unknown }) => {
      this.#answers.get(answer.id)?.(answer.value);
      this.#answers.delete(answer.id);
    });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    alive.delete(child);
  }

  /** Stops the process without ending it, as a server does that hangs. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  get(name: string): Promise<unknown> {
    return this.#ask({ do: 'get', name });
  }

  /** `status` is the name of one, such as UncertainLastUsableValue. */
  set(name: string, value: unknown, status = 'Good'): Promise<unknown> {
    return this.#ask({ do: 'set', name, value, status });
  }

  /** Sets the values one after the other, at once. */
  pulse(name: string, values: readonly unknown[]): Promise<unknown> {
    return this.#ask({ do: 'pulse', name, values });
  }

  add(name: string): Promise<unknown> {
    return this.#ask({ do: 'add', name });
  }

  #ask(request: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#child?.send({ id, ...request });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#pki, { recursive: true, force: true });
  }
}
