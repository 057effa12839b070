import { createServer, type Server, type Socket } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '../fault.ts';
import type { Endpoint } from './dialer.ts';
import { bindProblem, failureOf, type Failure } from './failure.ts';
import { endSocket, tuneSocket, writeTo, type SocketTuning } from './socket.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport, TransportEvents } from './transport.ts';

/**
 * The device connects to the gateway, which still sends the requests. A new connection replaces the one before: in a mobile network the old
 * one is often dead although neither side was notified.
 */
export function tcpServer(endpoint: Endpoint, tuning: SocketTuning = {}): Transport {
  return new TcpServer(endpoint, tuning);
}

/** Listens until it is disposed of. */
export interface Listener extends AsyncDisposable {
  /** The port, also when 0 was asked for. */
  readonly port: number;
}

/**
 * Listens for many devices: every connection is a transport of its own, for a `Link` of its own, and is not made
 * again when it is lost. The device identifies itself, for example in the handshake. `onPeer` opens the link at
 * once. Rejects with a fault when it cannot listen.
 */
export async function listenTcp(
  endpoint: Endpoint,
  onPeer: (transport: Transport, peer: string) => void,
  tuning: SocketTuning = {},
): Promise<Listener> {
  const peers = new Set<Socket>();
  const server = await listen(endpoint, (socket) => {
    tuneSocket(socket, tuning);
    peers.add(socket);
    socket.once('close', () => peers.delete(socket));
    onPeer(new AcceptedSocket(socket), peerOf(socket));
  });
  server.on('error', () => undefined);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : endpoint.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([...peers].map(endSocket));
      await closed;
    },
  };
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
    this.#server = await listen(this.#endpoint, (socket) => this.#accept(socket, events));
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

/** A connection that a device made. */
class AcceptedSocket implements Transport {
  readonly datagrams = false;
  #socket: Socket | undefined;
  readonly #peer: string;
  #events: TransportEvents | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#peer = peerOf(socket);
    socket.on('error', (error) => this.drop(failureOf(this.#peer, error)));
    socket.once('close', () => this.drop(closedBy(this.#peer)));
  }

  open(events: TransportEvents): Promise<void> {
    this.#events = events;
    if (this.#socket === undefined) {
      events.closed(closedBy(this.#peer));
      return Promise.resolve();
    }
    this.#socket.on('data', (data) => {
      if (this.#socket !== undefined) events.received(data, data.length);
    });
    events.opened(this.#peer);
    return Promise.resolve();
  }

  send(bytes: Buffer): void {
    if (this.#socket !== undefined) writeTo(this.#socket, bytes);
  }

  drop(failure: Failure): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    socket.destroy();
    this.#events?.closed(failure);
  }

  proven(): void {
    // This connection is never made again, so it makes no difference that it has served.
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await endSocket(socket);
  }
}

async function listen(endpoint: Endpoint, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const why = `The driver cannot listen on ${nameOf(endpoint)}: ${bindProblem(error, 'port')}.`;
      reject(new Fault(ErrorCode.DISCONNECTED, why, { cause: error }));
    });
    server.listen(endpoint.port, endpoint.host, resolve);
  });
  server.removeAllListeners('error');
  return server;
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress ?? 'a device'}:${socket.remotePort ?? 0}`;
}

function closedBy(peer: string): Failure {
  return { kind: 'closed', step: 'connect', reason: `${peer} closed the connection` };
}
