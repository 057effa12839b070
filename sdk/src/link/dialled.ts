import type { Clock } from '../context.ts';
import { Dialer, type Endpoint } from './dialer.ts';
import type { Failure } from './failure.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** A transport that the gateway opens itself: to the first of its places that answers, and again after every loss. */
export abstract class Dialled implements Transport {
  abstract readonly datagrams: boolean;
  protected events: TransportEvents | undefined;
  readonly #places: readonly Endpoint[];
  #dialer: Dialer | undefined;

  constructor(places: Endpoint | readonly Endpoint[]) {
    this.#places = Array.isArray(places) ? (places as Endpoint[]) : [places as Endpoint];
  }

  open(events: TransportEvents, clock: Clock): Promise<void> {
    this.events = events;
    this.#dialer = new Dialer(this.#places, clock, (place) => this.dial(place));
    this.#dialer.start();
    return Promise.resolve();
  }

  proven(): void {
    this.#dialer?.proven();
  }

  async close(): Promise<void> {
    this.#dialer?.stop();
    await this.hangUp();
  }

  abstract send(bytes: Buffer): void;
  abstract drop(failure: Failure): void;
  protected abstract dial(place: Endpoint): void;
  protected abstract hangUp(): Promise<void>;

  protected closed(failure: Failure): void {
    this.events?.closed(failure);
    this.#dialer?.again();
  }
}
