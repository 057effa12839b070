import type { PairStatus, StatusReply } from '@tagway/schemas';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../kit/child.ts';
import { Client } from '../kit/client.ts';
import { Gateway } from '../kit/gateway.ts';
import { processesOf, type ProcessRow } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { Clock } from './clock.ts';
import type { Network } from './network.ts';

export type Side = 'west' | 'east';

/** Milliseconds after which a gateway that has ended is started again, as a service manager does. */
const restartDelay = 1000;

/** Milliseconds after which a gateway that was asked to end is killed, as a service manager does. */
const stopWithin = 20_000;

const port = 7000;
export const password = 'referee-1';

/** The processes of a gateway of a pair. */
export interface Parts {
  /** Holds the lease, and is the parent of the host. */
  readonly agent: number;
  readonly host: number | undefined;
  /** Runners by their title, such as `tagway: modbus-tcp`. */
  readonly runners: readonly ProcessRow[];
}

export interface PairGatewayOptions {
  readonly network: Network;
  readonly members: readonly string[];
  readonly secretsKey: string;
  /** In which it has its data, among other things. */
  readonly folder: string;
  /** False: it may not set up the filter of the kernel. */
  readonly hasGate: boolean;
  /** Its clock can be stepped. */
  readonly hasClock: boolean;
  /** The authority of etcd's certificates, where etcd has some and wants one of each gateway: SIDE.pem and SIDE.key in `folder`. */
  readonly authority?: string;
}

/** The files of the certificate by which etcd knows a gateway. */
export const certificateOf = (
  folder: string,
  side: Side,
): { readonly cert: string; readonly key: string } => ({
  cert: join(folder, `${side}.pem`),
  key: join(folder, `${side}.key`),
});

/** One of the two gateways, on a machine of its own; a service manager, which is this class, starts it again whenever it ends. */
export class PairGateway {
  readonly side: Side;
  readonly clock: Clock | undefined;
  readonly data: string;
  readonly #options: PairGatewayOptions;
  #child: Child | undefined;
  readonly #clients: Client[] = [];
  /** Asks how the pair is. */
  #watcher: Client | undefined;
  #isWanted = false;
  #service: Promise<void> = Promise.resolve();
  /** How often it was started. */
  starts = 0;
  /** What the process wrote last in its lives before this one, when it did not start. */
  failure: string | undefined;

  private constructor(side: Side, data: string, clock: Clock | undefined, options: PairGatewayOptions) {
    this.side = side;
    this.data = data;
    this.clock = clock;
    this.#options = options;
  }

  static async make(side: Side, options: PairGatewayOptions): Promise<PairGateway> {
    const { folder, hasClock } = options;
    const clock = hasClock ? await Clock.make(join(folder, `clock-${side}`)) : undefined;
    return new PairGateway(side, join(folder, side), clock, options);
  }

  get url(): string {
    return `http://${this.#options.network.address(this.side)}:${port}`;
  }

  /** Files of the certificate by which etcd knows it, where it has one. */
  get certificate(): { readonly cert: string; readonly key: string } {
    return certificateOf(this.#options.folder, this.side);
  }

  get secretsKey(): string {
    return this.#options.secretsKey;
  }

  /** Starts the service; resolves when its API answers for the first time. */
  async start(): Promise<void> {
    this.#isWanted = true;
    this.#service = this.#serve();
    await until(`the API of ${this.side} answers`, () => this.status(), { within: 40_000, every: 100 });
  }

  /** Ends the service in an orderly way. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    for (const client of this.#clients.splice(0)) client.close();
    this.#watcher = undefined;
    await this.#child?.stop('SIGTERM', stopWithin);
    await this.#service;
  }

  /** The last lines that it wrote. */
  get output(): string {
    return this.#child?.output ?? this.failure ?? '';
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** How it sees the pair. Rejects when its API does not answer. */
  async status(): Promise<PairStatus> {
    const client = (this.#watcher ??= await this.client());
    const { status, body, text } = await client.call<StatusReply>('GET', '/status', {}, { within: 1000 });
    // A token ends with the process that gave it.
    if (status !== 200) this.#watcher = undefined;
    if (status !== 200 || body.pair === undefined) throw new Error(`${this.side} answered ${status} ${text}`);
    return body.pair;
  }

  /** A client that has just logged in: a token ends with the process that gave it. */
  async client(): Promise<Client> {
    const client = new Client(this.url);
    this.#clients.push(client);
    return client.login('admin', password);
  }

  async parts(): Promise<Parts> {
    const agent = this.#child?.pid;
    if (agent === undefined) throw new Error(`${this.side} does not run.`);
    const rows = await processesOf(agent, this.data);
    const host = rows.find(({ parent, title }) => parent === agent && title.includes('main.js'));
    return {
      agent,
      host: host?.pid,
      runners: rows.filter(({ title }) => title.startsWith('tagway: ')),
    };
  }

  /** The runner of a plugin, by its id. */
  async runner(plugin: string): Promise<number> {
    const { runners } = await this.parts();
    const row = runners.find(({ title }) => title === `tagway: ${plugin}`);
    if (row === undefined) throw new Error(`${this.side} has no runner of ${plugin}.`);
    return row.pid;
  }

  /** All processes of the gateway. */
  async everything(): Promise<number[]> {
    const { agent, host, runners } = await this.parts();
    return [agent, ...(host === undefined ? [] : [host]), ...runners.map(({ pid }) => pid)];
  }

  async #serve(): Promise<void> {
    while (this.#isWanted) {
      try {
        const child = await this.#run();
        this.#child = child;
        if (!this.#isWanted) await child.stop('SIGTERM', stopWithin);
        await child.exited;
        child.release();
        this.failure = child.output;
      } catch (error) {
        this.failure = String(error);
      }
      this.#child = undefined;
      if (this.#isWanted) await sleep(restartDelay);
    }
  }

  /** Runs its command once more, with more options, and resolves with what came of it. */
  async attempt(
    ...more: readonly string[]
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const [command = '', ...args] = this.#command(more);
    const env = { ...this.clock?.env, TAGWAY_ADMIN_PASSWORD: password };
    const child = await Child.start(command, args, { ready: /./, env });
    const late = setTimeout(() => child.signal('SIGKILL'), stopWithin);
    const { code } = await child.exited;
    clearTimeout(late);
    return { code, output: child.output };
  }

  #run(): Promise<Child> {
    const [command = '', ...args] = this.#command([]);
    this.starts += 1;
    return Child.start(command, args, {
      ready: /./,
      group: true,
      env: { ...this.clock?.env, TAGWAY_ADMIN_PASSWORD: password },
    });
  }

  #command(more: readonly string[]): string[] {
    const { network, members, secretsKey, hasGate, authority } = this.#options;
    const { cert, key } = this.certificate;
    return [
      ...network.on(this.side),
      // Without this capability a process may not filter packets.
      ...(hasGate ? [] : ['setpriv', '--bounding-set=-net_admin', '--']),
      ...[process.execPath, Gateway.main, '--data', this.data],
      ...['--host', network.address(this.side), '--port', String(port), '--name', `Hall ${this.side}`],
      ...['--pair', members.join(','), '--pair-id', 'plant', '--secrets-key', secretsKey],
      ...(authority === undefined ? [] : ['--pair-ca', authority, '--pair-cert', cert, '--pair-key', key]),
      ...more,
    ];
  }
}
