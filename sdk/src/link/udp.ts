import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns';
import type { Clock } from '../context.ts';
import { Dialer, type Endpoint } from './dialer.ts';
import { failureOf, type Failure } from './failure.ts';
import { nameOf } from './tcp-client.ts';
import type { Transport, TransportEvents } from './transport.ts';

export interface UdpOptions {
  /** The local port to send from, for devices that answer to a fixed one. Default: any free port. */
  readonly localPort?: number;
  readonly localHost?: string;
}

/** Datagrams to the device and back. What others send is dropped: by the kernel, as the socket is connected, and once more here. */
export function udp(places: Endpoint | readonly Endpoint[], options: UdpOptions = {}): Transport {
  return new Udp(Array.isArray(places) ? (places as Endpoint[]) : [places as Endpoint], options);
}

class Udp implements Transport {
  readonly datagrams = true;
  readonly #places: readonly Endpoint[];
  readonly #options: UdpOptions;
  #dialer: Dialer | undefined;
  #events: TransportEvents | undefined;
  #socket: Socket | undefined;
  #attempt = 0;

  constructor(places: readonly Endpoint[], options: UdpOptions) {
    this.#places = places;
    this.#options = options;
  }

  open(events: TransportEvents, clock: Clock): Promise<void> {
    this.#events = events;
    this.#dialer = new Dialer(this.#places, clock, (place) => this.#dial(place));
    this.#dialer.start();
    return Promise.resolve();
  }

  send(bytes: Buffer): void {
    const attempt = this.#attempt;
    this.#socket?.send(bytes, (error) => {
      if (error !== null) this.#lost(attempt, failureOf('the device', error));
    });
  }

  drop(failure: Failure): void {
    if (this.#socket !== undefined) this.#lost(this.#attempt, failure);
  }

  proven(): void {
    this.#dialer?.proven();
  }

  async close(): Promise<void> {
    this.#dialer?.stop();
    this.#attempt++;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(resolve));
  }

  #dial(place: Endpoint): void {
    const attempt = ++this.#attempt;
    const target = nameOf(place);
    lookup(place.host, (error, address, family) => {
      if (attempt !== this.#attempt) return;
      if (error !== null) this.#lost(attempt, failureOf(target, error, 'resolve'));
      else this.#connect(attempt, target, { host: address, port: place.port }, family === 6);
    });
  }

  #connect(attempt: number, target: string, { host, port }: Endpoint, isV6: boolean): void {
    const socket = createSocket(isV6 ? 'udp6' : 'udp4');
    this.#socket = socket;
    // The kernel reports here that nobody listens on the port.
    socket.on('error', (error) => this.#lost(attempt, failureOf(target, error)));
    socket.on('message', (data, from) => {
      if (attempt === this.#attempt && from.port === port && from.address === host)
        this.#events?.received(data, data.length);
    });
    socket.bind({ port: this.#options.localPort ?? 0, address: this.#options.localHost }, () => {
      if (attempt !== this.#attempt) return;
      socket.connect(port, host, (error?: Error) => {
        if (attempt !== this.#attempt) return;
        if (error !== undefined) this.#lost(attempt, failureOf(target, error));
        else this.#events?.opened(target);
      });
    });
  }

  #lost(attempt: number, failure: Failure): void {
    if (attempt !== this.#attempt) return;
    this.#attempt++;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#events?.closed(failure);
    this.#dialer?.again();
  }
}
