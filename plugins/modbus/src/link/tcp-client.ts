import { connect, type Socket } from 'node:net';
import type { Clock } from '@tagway/sdk';
import { Dialer, type Endpoint } from './dialer.ts';
import { tuneSocket } from './tcp.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** Bytes taken from the socket at once; the buffer is used again and again. */
const readSize = 65_536;

/** How long `open` waits for the first attempt, in milliseconds. */
const firstWait = 1000;

/** The gateway connects to the device over TCP. */
export class TcpClient implements Transport {
  readonly datagrams = false;
  readonly #dialer: Dialer;
  readonly #timeout: number;
  readonly #buffer = Buffer.allocUnsafeSlow(readSize);
  readonly #attempted = Promise.withResolvers<void>();
  #events: TransportEvents | undefined;
  #socket: Socket | undefined;

  /** `timeout` limits one attempt to connect, in milliseconds. */
  constructor(endpoints: readonly Endpoint[], timeout: number, clock: Clock) {
    this.#timeout = timeout;
    this.#dialer = new Dialer(endpoints, clock, (endpoint) => this.#dial(endpoint));
  }

  async open(events: TransportEvents): Promise<void> {
    this.#events = events;
    this.#dialer.start();
    const enough = setTimeout(this.#attempted.resolve, firstWait);
    await this.#attempted.promise;
    clearTimeout(enough);
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  drop(reason: string): void {
    if (this.#socket !== undefined) this.#lost(this.#socket, reason);
  }

  proven(): void {
    this.#dialer.proven();
  }

  async close(): Promise<void> {
    this.#dialer.stop();
    this.#attempted.resolve();
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined || socket.closed) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy();
    await closed;
  }

  #dial({ host, port }: Endpoint): void {
    const socket: Socket = connect({
      host,
      port,
      onread: {
        buffer: this.#buffer,
        callback: (size) => {
          if (socket === this.#socket) this.#events?.received(this.#buffer, size);
          return true;
        },
      },
    });
    this.#socket = socket;
    const target = `${host}:${port}`;
    const late = setTimeout(
      () => this.#lost(socket, `${target} did not accept a connection within ${this.#timeout} ms`),
      this.#timeout,
    );
    socket.once('connect', () => {
      clearTimeout(late);
      if (socket !== this.#socket) return;
      tuneSocket(socket);
      this.#events?.opened(target);
      this.#attempted.resolve();
    });
    socket.on('error', (error) => this.#lost(socket, `${target}: ${error.message}`));
    socket.once('close', () => {
      clearTimeout(late);
      this.#lost(socket, `${target} closed the connection`);
    });
    socket.resume();
  }

  #lost(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    socket.destroy();
    this.#attempted.resolve();
    this.#events?.closed(reason);
    this.#dialer.again();
  }
}
