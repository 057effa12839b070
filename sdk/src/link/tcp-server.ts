import { createServer, type Server, type Socket } from 'node:net';
import type { Context } from '../context.ts';
import { AcceptedSocket, peerOf } from './accepted-socket.ts';
import type { Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { bind } from './listen.ts';
import { tuneSocket, type SocketTuning } from './socket.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** How the place of a server stands in the list of what the gateway has open. */
export interface Listing {
  /** The context of the node. */
  readonly context: Pick<Context, 'listens'>;
  /** Such as `Modbus TCP`. */
  readonly protocol: string;
}

export interface TcpServerOptions extends SocketTuning {
  /** Puts the place into the list of what the gateway has open; absent: the driver does so itself. */
  readonly listing?: Listing;
}

/**
 * The device connects to the gateway, which still sends the requests. A new connection replaces the one before: in a mobile network the old
 * one is often dead although neither side was notified.
 */
export function tcpServer(endpoint: Endpoint, options: TcpServerOptions = {}): Transport {
  return new TcpServer(endpoint, options);
}

class TcpServer implements Transport {
  readonly datagrams = false;
  readonly #endpoint: Endpoint;
  readonly #options: TcpServerOptions;
  #server: Server | undefined;
  #connection: AcceptedSocket | undefined;

  constructor(endpoint: Endpoint, options: TcpServerOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  async open(events: TransportEvents): Promise<void> {
    const name = nameOf(this.#endpoint);
    this.#server = createServer((socket) => this.#accept(socket, events));
    await bind(this.#server, this.#endpoint);
    const { listing } = this.#options;
    if (listing !== undefined) {
      // Who connects takes the place of the device: its answers are values, and it can write nothing.
      const facts = { isEncrypted: false, isRestricted: false, mayWrite: false };
      const { host, port } = this.#endpoint;
      listing.context.listens?.([{ host, port, protocol: listing.protocol, ...facts }]);
    }
    this.#server.on('error', (error) => this.drop(failureOf(name, error)));
    events.closed({ kind: 'waiting', step: 'connect', reason: `no device has connected to ${name} yet` });
  }

  send(bytes: Buffer): void {
    this.#connection?.send(bytes);
  }

  drop(failure: Failure): void {
    this.#connection?.drop(failure);
  }

  proven(): void {
    // Whether to connect again is the device's decision, so it makes no difference that it has answered.
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    await this.#connection?.close();
    await closed;
  }

  #accept(socket: Socket, events: TransportEvents): void {
    const reason = `${peerOf(socket)} connected and replaces the connection before it`;
    this.drop({ kind: 'given up', reason });
    tuneSocket(socket, this.#options);
    this.#connection = new AcceptedSocket(socket);
    void this.#connection.open(events);
  }
}
