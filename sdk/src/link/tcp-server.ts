import { createServer, type Server, type Socket } from 'node:net';
import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../context.ts';
import { Fault } from '../fault.ts';
import type { Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { endSocket, tuneSocket, type SocketTuning } from './socket.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport, TransportEvents } from './transport.ts';

/**
 * The device connects to the gateway, which still sends the requests. The newest connection wins: behind a mobile network the old one is
 * often dead without anybody having been told.
 */
export function tcpServer(place: Endpoint, tuning: SocketTuning = {}): Transport {
  return new TcpServer(place, tuning);
}

/** Listens until it is disposed of. */
export interface Listener extends AsyncDisposable {
  /** The port, also when 0 was asked for. */
  readonly port: number;
}

/**
 * Listens for many devices and tells them apart: every connection is a transport of its own, for a `Link` of its own, and is not made
 * again when it is lost. Who it is, the device says itself, for example in the handshake. `onPeer` is to open the link at
 * once. Rejects with a fault when it cannot listen.
 */
export async function listenTcp(
  place: Endpoint,
  onPeer: (transport: Transport, peer: string) => void,
  tuning: SocketTuning = {},
): Promise<Listener> {
  const peers = new Set<Socket>();
  const server = await listen(place, (socket) => {
    tuneSocket(socket, tuning);
    peers.add(socket);
    socket.once('close', () => peers.delete(socket));
    onPeer(new AcceptedSocket(socket), peerOf(socket));
  });
  server.on('error', () => undefined);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : place.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([...peers].map(endSocket));
      await closed;
    },
  };
}

class TcpServer implements Transport {
  readonly datagrams = false;
  readonly #place: Endpoint;
  readonly #tuning: SocketTuning;
  #server: Server | undefined;
  #socket: Socket | undefined;
  #events: TransportEvents | undefined;

  constructor(place: Endpoint, tuning: SocketTuning) {
    this.#place = place;
    this.#tuning = tuning;
  }

  async open(events: TransportEvents): Promise<void> {
    const name = nameOf(this.#place);
    this.#events = events;
    this.#server = await listen(this.#place, (socket) => this.#accept(socket));
    this.#server.on('error', (error) => this.drop(failureOf(name, error)));
    events.closed({ kind: 'waiting', step: 'connect', reason: `no device has connected to ${name} yet` });
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  drop(failure: Failure): void {
    if (this.#socket !== undefined) this.#lost(this.#socket, failure);
  }

  proven(): void {
    // Whether to come back is the device's decision, so nothing hangs on its having answered.
  }

  async close(): Promise<void> {
    const server = this.#server;
    const socket = this.#socket;
    this.#socket = undefined;
    const closed = server === undefined ? undefined : new Promise((resolve) => server.close(resolve));
    if (socket !== undefined) await endSocket(socket);
    await closed;
  }

  #accept(socket: Socket): void {
    const peer = peerOf(socket);
    socket.on('error', (error) => this.#lost(socket, failureOf(peer, error)));
    socket.once('close', () => this.#lost(socket, closedBy(peer)));
    socket.on('data', (data) => {
      if (socket === this.#socket) this.#events?.received(data, data.length);
    });
    if (this.#socket !== undefined)
      this.#lost(this.#socket, {
        kind: 'given up',
        reason: `${peer} connected and replaces the connection before it`,
      });
    this.#socket = socket;
    tuneSocket(socket, this.#tuning);
    this.#events?.opened(peer);
  }

  #lost(socket: Socket, failure: Failure): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    socket.destroy();
    this.#events?.closed(failure);
  }
}

/** One connection of many. */
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

  open(events: TransportEvents, _clock: Clock): Promise<void> {
    this.#events = events;
    if (this.#socket === undefined) {
      events.closed(closedBy(this.#peer));
      return Promise.resolve();
    }
    events.opened(this.#peer);
    this.#socket.on('data', (data) => this.#events?.received(data, data.length));
    return Promise.resolve();
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  drop(failure: Failure): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    socket.destroy();
    this.#events?.closed(failure);
  }

  proven(): void {
    // This connection is never made again, so nothing hangs on its having served.
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await endSocket(socket);
  }
}

async function listen(place: Endpoint, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const why = `The driver cannot listen on ${nameOf(place)}: ${error.message}. Choose a free port and an address of this machine.`;
      reject(new Fault(ErrorCode.DISCONNECTED, why, { cause: error }));
    });
    server.listen(place.port, place.host, resolve);
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
