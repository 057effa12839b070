import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceProcess } from './device-process.ts';
import type { OpcUaServerOptions } from '../peers/opcua.ts';

/** An OPC UA server in a process of its own; its nodes are those of peers/opcua.ts. */
export class OpcUaServer extends DeviceProcess {
  readonly #pki: string;
  readonly #answers = new Map<number, (value: unknown) => void>();
  #next = 1;

  private constructor(options: Omit<OpcUaServerOptions, 'pki' | 'port'>) {
    const pki = mkdtempSync(join(tmpdir(), 'tagway-opcua-server-'));
    super('peers/opcua.ts', { ...options, pki }, 'advanced');
    this.#pki = pki;
  }

  static async start(options: Omit<OpcUaServerOptions, 'pki' | 'port'> = {}): Promise<OpcUaServer> {
    const server = new OpcUaServer(options);
    await server.start();
    return server;
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${this.port}/`;
  }

  override get settings(): object {
    return { url: this.url };
  }

  /** Ends the process; `start` begins another one with the same certificates. */
  kill(): Promise<void> {
    return super.stop();
  }

  override async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#pki, { recursive: true, force: true });
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

  protected override heard({ id, value }: { readonly id: number; readonly value: unknown }): void {
    this.#answers.get(id)?.(value);
    this.#answers.delete(id);
  }

  #ask(request: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.send({ id, ...request });
    });
  }
}
