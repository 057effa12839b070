import type { Clock } from '../context.ts';
import { Dialer, type Endpoint } from './dialer.ts';
import type { Failure } from './failure.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** A transport that the gateway opens itself: to the first of its endpoints that answers, and again after every loss. */
export abstract class Dialled implements Transport {
  abstract readonly datagrams: boolean;
  protected events: TransportEvents | undefined;
  readonly #endpoints: readonly Endpoint[];
  #dialer: Dialer | undefined;

  constructor(endpoints: Endpoint | readonly Endpoint[]) {
    this.#endpoints = Array.isArray(endpoints) ? (endpoints as Endpoint[]) : [endpoints as Endpoint];
  }

  open(events: TransportEvents, clock: Clock): Promise<void> {
    this.events = events;
    this.#dialer = new Dialer(this.#endpoints, clock, (endpoint) => this.dial(endpoint));
    this.#dialer.start();
    return Promise.resolve();
  }

  proven(): void {
    this.#dialer?.proven();
  }

  async close(): Promise<void> {
    this.#dialer?.stop();
    await this.disconnect();
  }

  abstract send(bytes: Buffer): void;
  abstract drop(failure: Failure): void;
  protected abstract dial(endpoint: Endpoint): void;
  protected abstract disconnect(): Promise<void>;

  protected closed(failure: Failure): void {
    this.events?.closed(failure);
    this.#dialer?.again();
  }
}
