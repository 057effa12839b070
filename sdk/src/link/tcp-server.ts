import { createServer, type Server, type Socket } from 'node:net';
import { AcceptedSocket, peerOf } from './accepted-socket.ts';
import type { Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { bind } from './listen.ts';
import { tuneSocket, type SocketTuning } from './socket.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport, TransportEvents } from './transport.ts';

/**
 * The device connects to the gateway, which still sends the requests. A new connection replaces the one before: in a mobile network the old
 * one is often dead although neither side was notified.
 */
export function tcpServer(endpoint: Endpoint, tuning: SocketTuning = {}): Transport {
  return new TcpServer(endpoint, tuning);
}

class TcpServer implements Transport {
  readonly datagrams = false;
  readonly #endpoint: Endpoint;
  readonly #tuning: SocketTuning;
  #server: Server | undefined;
  #connection: AcceptedSocket | undefined;

  constructor(endpoint: Endpoint, tuning: SocketTuning) {
    this.#endpoint = endpoint;
    this.#tuning = tuning;
  }

  async open(events: TransportEvents): Promise<void> {
    const name = nameOf(this.#endpoint);
    this.#server = createServer((socket) => this.#accept(socket, events));
    await bind(this.#server, this.#endpoint);
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
    tuneSocket(socket, this.#tuning);
    this.#connection = new AcceptedSocket(socket);
    void this.#connection.open(events);
  }
}
