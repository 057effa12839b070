import type { Socket } from 'node:net';
import { failureOf, type Failure } from './failure.ts';
import { endSocket, guardSocket, writeTo } from './socket.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** What an accepted connection may do; without bounds it may do anything. */
export interface AcceptedBounds {
  /** Milliseconds without a byte in either direction after which it is closed; 0: never. */
  readonly idle?: number;
  /** Bytes that may wait to be read by the other side. Beyond them nothing more is taken from it until it has read; default 1 MB. */
  readonly mostUnread?: number;
  /** Milliseconds that it may stay so before it is closed; 0: for ever. */
  readonly patience?: number;
}

const defaultUnread = 1_000_000;

/** A connection that the other side made. */
export class AcceptedSocket implements Transport {
  readonly datagrams = false;
  #socket: Socket | undefined;
  readonly #peer: string;
  readonly #mostUnread: number;
  readonly #patience: number;
  #events: TransportEvents | undefined;
  #slow: NodeJS.Timeout | undefined;
  #isPaused = false;

  constructor(socket: Socket, { idle = 0, mostUnread = defaultUnread, patience = 0 }: AcceptedBounds = {}) {
    this.#socket = socket;
    this.#peer = peerOf(socket);
    this.#mostUnread = mostUnread;
    this.#patience = patience;
    socket.on('error', (error) => this.drop(failureOf(this.#peer, error)));
    socket.once('close', () => this.drop(closedBy(this.#peer)));
    guardSocket(socket);
    if (idle > 0) {
      socket.setTimeout(idle, () =>
        this.drop({ kind: 'timeout', reason: `${this.#peer} has sent nothing for ${idle / 1000} s` }),
      );
    }
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
    this.#socket.on('drain', () => this.#hasRead());
    events.opened(this.#peer);
    return Promise.resolve();
  }

  send(bytes: Buffer): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    writeTo(socket, bytes);
    if (socket.writableLength > this.#mostUnread && !this.#isPaused) this.#pause(socket);
  }

  drop(failure: Failure): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    clearTimeout(this.#slow);
    socket.destroy();
    this.#events?.closed(failure);
  }

  proven(): void {
    // This connection is never made again, so it makes no difference that it has served.
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#slow);
    if (socket !== undefined) await endSocket(socket);
  }

  /** Who does not read answers gets no more of them. */
  #pause(socket: Socket): void {
    this.#isPaused = true;
    socket.pause();
    if (this.#patience === 0) return;
    const reason = `${this.#peer} has not read what it was sent for ${this.#patience / 1000} s`;
    this.#slow = setTimeout(() => this.drop({ kind: 'given up', reason }), this.#patience);
  }

  #hasRead(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    clearTimeout(this.#slow);
    this.#socket?.resume();
  }
}

export function peerOf(socket: Socket): string {
  return `${socket.remoteAddress ?? 'an unknown address'}:${socket.remotePort ?? 0}`;
}

function closedBy(peer: string): Failure {
  return { kind: 'closed', step: 'connect', reason: `${peer} closed the connection` };
}
