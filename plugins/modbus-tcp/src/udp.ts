import { createSocket, type Socket } from 'node:dgram';
import { Dialer, type Endpoint, type Transport, type TransportEvents } from '@tagway/modbus';
import type { Clock } from '@tagway/sdk';

/** One frame per datagram to the device and back. The socket is connected, so the kernel drops what others send. */
export class UdpClient implements Transport {
  readonly datagrams = true;
  readonly #dialer: Dialer;
  readonly #attempted = Promise.withResolvers<void>();
  #events: TransportEvents | undefined;
  #socket: Socket | undefined;
  /** Address of the device, once the socket is connected to it. */
  #device: string | undefined;

  constructor(endpoints: readonly Endpoint[], clock: Clock) {
    this.#dialer = new Dialer(endpoints, clock, (endpoint) => this.#dial(endpoint));
  }

  open(events: TransportEvents): Promise<void> {
    this.#events = events;
    this.#dialer.start();
    return this.#attempted.promise;
  }

  send(bytes: Buffer): void {
    const socket = this.#socket;
    socket?.send(bytes, (error) => {
      if (error !== null) this.#lost(socket, error.message);
    });
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
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(resolve));
  }

  #dial({ host, port }: Endpoint): void {
    const socket = createSocket('udp4');
    this.#socket = socket;
    const target = `${host}:${port}`;
    // The kernel reports here that nobody listens on the port.
    socket.on('error', (error) => this.#lost(socket, `${target}: ${error.message}`));
    socket.on('message', (data, from) => {
      if (socket === this.#socket && from.address === this.#device && from.port === port)
        this.#events?.received(data, data.length);
    });
    socket.connect(port, host, (error?: Error) => {
      if (socket !== this.#socket) return;
      if (error !== undefined) return this.#lost(socket, `${target}: ${error.message}`);
      this.#device = socket.remoteAddress().address;
      this.#events?.opened(target);
      this.#attempted.resolve();
    });
  }

  #lost(socket: Socket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#device = undefined;
    socket.close();
    this.#attempted.resolve();
    this.#events?.closed(reason);
    this.#dialer.again();
  }
}
