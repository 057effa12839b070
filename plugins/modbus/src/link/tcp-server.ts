import { createServer, type Server, type Socket } from 'node:net';
import { ErrorCode, Fault } from '@tagway/sdk';
import type { Endpoint } from './dialer.ts';
import { tuneSocket } from './tcp.ts';
import type { Transport, TransportEvents } from './transport.ts';

/**
 * The device connects to the gateway, which still sends the requests. The newest connection wins: behind a mobile network the old one is
 * often dead without anybody having been told.
 */
export class TcpServer implements Transport {
  readonly datagrams = false;
  readonly #endpoint: Endpoint;
  #server: Server | undefined;
  #socket: Socket | undefined;
  #events: TransportEvents | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async open(events: TransportEvents): Promise<void> {
    this.#events = events;
    const { host, port } = this.#endpoint;
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        const why = `The driver cannot listen on ${host}:${port}: ${error.message}. Choose a free port and an address of this machine.`;
        reject(new Fault(ErrorCode.DISCONNECTED, why, { cause: error }));
      });
      server.listen(port, host, resolve);
    });
    server.removeAllListeners('error');
    server.on('error', (error) => this.drop(`listening on ${host}:${port} failed: ${error.message}`));
    this.#server = server;
  }

  send(bytes: Buffer): void {
    this.#socket?.write(bytes);
  }

  drop(reason: string): void {
    if (this.#socket !== undefined) this.#lost(this.#socket, reason);
  }

  proven(): void {
    // Whether to come back is the device's decision, so nothing hangs on its having answered.
  }

  async close(): Promise<void> {
    const server = this.#server;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  #accept(socket: Socket): void {
    const device = `${socket.remoteAddress ?? 'a device'}:${socket.remotePort ?? 0}`;
    socket.on('error', (error) => this.#lost(socket, `${device}: ${error.message}`));
    socket.once('close', () => this.#lost(socket, `${device} closed the connection`));
    socket.on('data', (data) => {
      if (socket === this.#socket) this.#events?.received(data, data.length);
    });
    if (this.#socket !== undefined)
      this.#lost(this.#socket, `${device} connected and replaces the connection before it`);
    this.#socket = socket;
    tuneSocket(socket);
    this.#events?.opened(device);
  }

  #lost(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    socket.destroy();
    this.#events?.closed(reason);
  }
}
