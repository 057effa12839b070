import { type AppContext, type ConnectedClient, LinkState } from '@tagway/sdk';
import { type Connected, type Failure, type Listener, listenTcp, type Transport } from '@tagway/sdk/link';
import { LimitedLog } from '@tagway/store/log';
import type { Requests } from '../requests/requests.ts';
import type { Settings } from '../settings.ts';
import { Client, type ClientOptions } from './client.ts';
import { listenOptionsOf, placeOf } from './listen-options.ts';
import type { Permission } from './permission.ts';
import { counted, type Served, type Side } from './side.ts';

/** Milliseconds between two lines about what may happen at every connection. */
const linesApart = 10_000;

/** Masters that connect over TCP. */
export class TcpSide implements Side {
  readonly #context: AppContext<Settings>;
  readonly #clients = new Set<Client>();
  readonly #log: LimitedLog;
  readonly #options: ClientOptions;
  #listener: Listener | undefined;
  #isOver = false;

  constructor(context: AppContext<Settings>, requests: Requests, permission: Permission, served: Served) {
    this.#context = context;
    const { clock, settings } = context;
    this.#log = new LimitedLog(clock, linesApart);
    this.#options = {
      clock,
      requests,
      answersUnknown: settings.unknown_unit !== 1,
      refusalOf: (who) => permission.refusalOf(who),
      closed: (client, failure) => this.#closed(client, failure),
      served,
    };
  }

  async open(): Promise<void> {
    const { host = '', port = 0 } = this.#context.settings;
    const options = listenOptionsOf(this.#context.settings, (reason) => this.#refused(reason));
    this.#listener = await listenTcp({ host, port }, (...peer) => this.#accept(...peer), options);
    this.#context.listens?.([placeOf(this.#context.settings)]);
    this.#context.link(LinkState.CONNECTED, { reason: `Masters are served at ${host}:${port}.` });
  }

  clients(): ConnectedClient[] {
    const isSecure = this.#context.settings.tls === true;
    return [...this.#clients]
      .sort((one, other) => one.since - other.since)
      .map(({ exceptions, peer, requests, since, who }) => ({
        name: counted(peer, requests, exceptions),
        address: peer,
        since,
        ...(who.name !== undefined && { user: who.name }),
        ...(isSecure && { security: 'TLS' }),
      }));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#clients].map((client) => client.close()));
    await this.#listener?.[Symbol.asyncDispose]();
  }

  #accept(transport: Transport, _peer: string, who: Connected): void {
    if (this.#isOver) return void transport.close();
    const client = new Client(transport, who, this.#options);
    if (client.isClosed) return;
    this.#clients.add(client);
    this.#context.gauge('connections', this.#clients.size);
  }

  #closed(client: Client, { kind, reason }: Failure): void {
    this.#clients.delete(client);
    this.#context.gauge('connections', this.#clients.size);
    if (kind === 'malformed') this.#context.count('malformed_frames', 1);
    if (kind !== 'closed') this.#refused(`The connection of the master ${client.peer} was ended: ${reason}.`);
  }

  #refused(sentence: string): void {
    this.#context.count('refused_connections_total', 1);
    this.#log.add((others) => this.#context.log.warn(`${sentence}${others}`));
  }
}
