import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openFileLimit } from '../../core/system/open-files.ts';

export interface ConnectionLimits {
  /** Connections that may be open at once. At most half of the files that this process may open: the gateway itself needs some. */
  readonly all: number;
  /** Of one client. */
  readonly each: number;
  /** Bytes of replies that wait for clients to read them. */
  readonly unread: number;
  /** Milliseconds that a client may take to read the next part of a reply. */
  readonly stall: number;
}

export const connectionLimits: ConnectionLimits = {
  all: Math.min(1000, Math.floor((openFileLimit() ?? Infinity) / 2)),
  each: 100,
  unread: 64 << 20,
  stall: 10_000,
};

/** A connection, and what is done on it. */
export class Connection {
  readonly socket: Socket;
  readonly client: string;
  /** When something last began or ended on it, in milliseconds of a clock that never goes back. */
  activeAt = performance.now();
  /** A request on it had a good token or a right password. */
  isProven = false;
  /** The reply that is being made or sent. */
  underWay: ServerResponse | undefined;

  constructor(socket: Socket, client: string) {
    this.socket = socket;
    this.client = client;
  }
}

/** A key of a connection: its remote address and port, which are the same for a TLS socket and the TCP socket below it. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * The open connections. Their number is limited for one client and for all together. At the limit a new connection is accepted, and the
 * one that has been idle longest of the client with the most connections is closed, those that never had a good token first.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #byPeer = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #ofClient = new Map<string, Set<Connection>>();
  /** Connections whose reply is written and not read by the client yet, with its bytes; the longest waiting one is the first. */
  readonly #unread = new Map<Connection, number>();
  #unreadBytes = 0;

  constructor(limits: ConnectionLimits = connectionLimits) {
    this.#limits = limits;
  }

  /** Adds a new connection; undefined when it was closed because there is no room for it. `isProxy`: many clients share its address. */
  add(socket: Socket, client: string, isProxy: boolean): Connection | undefined {
    const own = this.#ofClient.get(client);
    if (!isProxy && own !== undefined && own.size >= this.#limits.each && !evict(own)) {
      socket.destroy();
      return undefined;
    }
    if (this.#byPeer.size >= this.#limits.all && !evict(this.#largest())) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(socket, client);
    const peer = peerOf(socket);
    this.#byPeer.set(peer, connection);
    this.#bySocket.set(socket, connection);
    const all = own ?? new Set();
    if (own === undefined) this.#ofClient.set(client, all);
    all.add(connection);
    socket.once('close', () => {
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      all.delete(connection);
      if (all.size === 0 && this.#ofClient.get(client) === all) this.#ofClient.delete(client);
      this.#read(connection);
    });
    return connection;
  }

  /** The connection that a socket belongs to, also a TLS socket. */
  of(socket: Socket): Connection | undefined {
    const known = this.#bySocket.get(socket);
    if (known !== undefined) return known;
    const connection = this.#byPeer.get(peerOf(socket));
    if (connection !== undefined) this.#bySocket.set(socket, connection);
    return connection;
  }

  /** A reply is written as a whole: the client has to read it, and not too slowly. */
  written(connection: Connection, response: ServerResponse): void {
    const { socket } = response;
    const bytes = socket?.writableLength ?? 0;
    if (socket === null || bytes === 0) return;
    socket.setTimeout(this.#limits.stall);
    this.#unread.set(connection, bytes);
    this.#unreadBytes += bytes;
    for (const [waiting] of this.#unread) {
      if (this.#unreadBytes <= this.#limits.unread) break;
      this.#read(waiting);
      waiting.socket.destroy();
    }
    response.once('close', () => this.#read(connection));
  }

  #read(connection: Connection): void {
    this.#unreadBytes -= this.#unread.get(connection) ?? 0;
    this.#unread.delete(connection);
  }

  #largest(): ReadonlySet<Connection> {
    let largest: ReadonlySet<Connection> = new Set();
    for (const own of this.#ofClient.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}

/** Closes the connection that has been idle longest; false when all of them had a good token and are busy. */
function evict(connections: ReadonlySet<Connection>): boolean {
  let idlest: Connection | undefined;
  for (const one of connections) {
    if (one.socket.destroyed || (one.isProven && one.underWay !== undefined)) continue;
    if (idlest === undefined || isIdler(one, idlest)) idlest = one;
  }
  idlest?.socket.destroy();
  return idlest !== undefined;
}

function isIdler(one: Connection, other: Connection): boolean {
  const rank = rankOf(one) - rankOf(other);
  return rank === 0 ? one.activeAt < other.activeAt : rank < 0;
}

function rankOf({ isProven, underWay }: Connection): number {
  return (isProven ? 2 : 0) + (underWay === undefined ? 0 : 1);
}
