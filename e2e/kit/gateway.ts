import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { Exit } from './child.ts';
import { Client } from './client.ts';
import { processesOf } from './processes.ts';
import type { ProcessRow } from './processes.ts';
import { until } from './until.ts';

export interface GatewayOptions {
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** A program with its arguments that becomes the gateway, such as one that takes rights away. */
  readonly starter?: readonly string[];
  /** Further arguments of the command line. */
  readonly args?: readonly string[];
  /** Fills the new data folder before the first start. */
  readonly prepare?: (data: string) => Promise<void>;
  /** Folder in which the data folder is made. Default: the system's for temporary files. */
  readonly parent?: string;
  /** The gateway's main module, when it is not the one of the workspace. */
  readonly main?: string;
}

/** The built gateway as a process of its own, on a free port, with a data folder of its own. */
export class Gateway {
  /** The main module of the workspace's gateway. */
  static readonly main = join(import.meta.dirname, '../../host/dist/main.js');
  readonly data: string;
  readonly #main: string;
  readonly #nodeArgs: readonly string[];
  readonly #starter: readonly string[];
  #args: readonly string[];
  #child: Child | undefined;
  readonly #clients: Client[] = [];

  private constructor(
    data: string,
    { args = [], nodeArgs = [], starter = [], main = Gateway.main }: GatewayOptions,
  ) {
    this.data = data;
    this.#starter = starter;
    this.#main = main;
    this.#nodeArgs = nodeArgs;
    this.#args = args;
  }

  static async start(options: GatewayOptions = {}): Promise<Gateway> {
    const data = await mkdtemp(join(options.parent ?? tmpdir(), 'tagway-e2e-'));
    const gateway = new Gateway(data, options);
    try {
      await options.prepare?.(data);
      await gateway.start();
    } catch (error) {
      await rm(data, { recursive: true, force: true });
      throw error;
    }
    return gateway;
  }

  /** Starts the process again on the same data folder, with other arguments if given. */
  async start(args: readonly string[] = this.#args): Promise<void> {
    if (this.#child !== undefined) throw new Error('The gateway runs already.');
    const [command, ...first] = [...this.#starter, process.execPath];
    const all = ['--data', this.data, '--host', '127.0.0.1', '--port', '0', ...args];
    this.#child = await Child.start(command, [...first, ...this.#nodeArgs, this.#main, ...all], {
      // Warnings before it may have addresses of others.
      ready: /(?<=Tagway listens on )https?:\/\/127\.0\.0\.1:\d+/,
      group: true,
    });
  }

  get url(): string {
    const [url] = this.#running.match ?? [];
    if (url === undefined) throw new Error('The gateway has not said where it listens.');
    return url;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** The last lines the gateway wrote. */
  get output(): string {
    return this.#running.output;
  }

  /** The log so far. */
  log(): Promise<string> {
    return readFile(join(this.data, 'logs', 'tagway.log'), 'utf8');
  }

  get #running(): Child {
    if (this.#child === undefined) throw new Error('The gateway does not run.');
    return this.#child;
  }

  /** A client that is logged in, also after the gateway was started again. */
  client(): Promise<Client> {
    return this.anonymous().login();
  }

  /** A client without a token. */
  anonymous(): Client {
    const client = new Client(() => this.url);
    this.#clients.push(client);
    return client;
  }

  /** The processes the gateway started and that live. */
  async runners(): Promise<ProcessRow[]> {
    const { pid } = this.#running;
    return (await processesOf(pid, this.data)).filter((row) => row.pid !== pid);
  }

  /** The runner of one library, found by the title that holds the plugin's name or id. */
  async runner(plugin: string): Promise<ProcessRow> {
    return until(`there is a runner process of ${plugin}`, async () =>
      (await this.runners()).find((row) => row.title.toLowerCase().includes(plugin.toLowerCase())),
    );
  }

  /** Asks the gateway to end, and waits until it and its runners are gone. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit & { readonly took: number }> {
    const child = this.#running;
    const from = performance.now();
    const exit = await child.stop(signal, 20_000);
    const took = performance.now() - from;
    await this.#ended(child);
    return { ...exit, took };
  }

  /** SIGKILL to the gateway's own process. Its runners must then end by themselves. */
  async kill(): Promise<void> {
    const child = this.#running;
    child.crash();
    await child.exited;
    await this.#ended(child);
  }

  /** SIGKILL to the gateway's own process; what it leaves behind is not waited for. */
  async crash(): Promise<void> {
    const child = this.#running;
    child.crash();
    await child.exited;
    this.#forget();
    child.release();
  }

  async restart(args?: readonly string[]): Promise<void> {
    await this.stop();
    await this.start(args);
  }

  /** Ends what still runs and removes the data folder; fails when a process was left behind. */
  async dispose(): Promise<void> {
    try {
      if (this.#child !== undefined) await this.stop();
    } finally {
      await rm(this.data, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  #forget(): void {
    this.#child = undefined;
    for (const client of this.#clients) client.close();
  }

  async #ended(child: Child): Promise<void> {
    this.#forget();
    const left = (): Promise<ProcessRow[]> => processesOf(child.pid, this.data);
    try {
      await until('it has left no process behind', async () => (await left()).length === 0, {
        within: 10_000,
      });
    } catch (cause) {
      const titles = (await left()).map((row) => `${row.pid} ${row.title}`).join(', ');
      child.signal('SIGKILL');
      throw new Error(`The gateway left processes behind: ${titles || 'they ended just now'}.`, { cause });
    } finally {
      child.release();
    }
  }
}
