import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpcUaServerOptions } from './peers/opcua.ts';

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** An OPC UA server in a process of its own; its nodes are those of peers/opcua.ts. */
export class OpcUaServer {
  readonly #options: Omit<OpcUaServerOptions, 'pki' | 'port'>;
  readonly #pki = mkdtempSync(join(tmpdir(), 'tagway-opcua-server-'));
  readonly #answers = new Map<number, (value: unknown) => void>();
  #child: ChildProcess | undefined;
  #port = 0;
  #next = 1;

  private constructor(options: Omit<OpcUaServerOptions, 'pki' | 'port'>) {
    this.#options = options;
  }

  static async start(options: Omit<OpcUaServerOptions, 'pki' | 'port'> = {}): Promise<OpcUaServer> {
    const server = new OpcUaServer(options);
    await server.start();
    return server;
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${this.#port}/`;
  }

  /** Starts the process, again on the port that it had. */
  async start(): Promise<void> {
    const options: OpcUaServerOptions = { ...this.#options, port: this.#port, pki: this.#pki };
    const script = join(import.meta.dirname, 'peers/opcua.ts');
    const child = fork(script, [JSON.stringify(options)], { execArgv: [], serialization: 'advanced' });
    alive.add(child);
    this.#child = child;
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof message !== 'object' || message === null || !('port' in message))
      throw new Error(`The OPC UA server ended with ${String(message)} before it was ready.`);
    this.#port = Number(message.port);
    child.on('message', ({ id, value }: { id: number; value: unknown }) => {
      this.#answers.get(id)?.(value);
      this.#answers.delete(id);
    });
  }

  /** Makes it silent: it takes what comes and answers nothing until it goes on. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
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

  get(name: string): Promise<unknown> {
    return this.#ask({ do: 'get', name });
  }

  /** `status` is the name of a status, such as UncertainLastUsableValue; good by default. */
  async set(name: string, value: unknown, status?: string): Promise<void> {
    await this.#ask({ do: 'set', name, value, ...(status !== undefined && { status }) });
  }

  /** Sets the values one after the other, at once. */
  async pulse(name: string, values: readonly unknown[]): Promise<void> {
    await this.#ask({ do: 'pulse', name, values });
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#pki, { recursive: true, force: true });
  }

  #ask(request: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.#child?.send({ id, ...request });
    });
  }
}
