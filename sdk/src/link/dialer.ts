import type { Clock } from '../context.ts';
import { BackOff } from './back-off.ts';

/** A place on a network: a host name or an address, and a port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Least time between two losses after which it is tried again at once, in milliseconds: a device may hang up on every request. */
const calm = 1000;

/** Decides when to try to connect, and to which of the device's places: endpoints on a network, or the one path of a serial port. */
export class Dialer<Place = Endpoint> {
  readonly #places: readonly Place[];
  readonly #clock: Clock;
  readonly #dial: (place: Place) => void;
  readonly #backOff = new BackOff();
  readonly #stopped = new AbortController();
  #current = 0;
  #proven = false;
  #lostAt = -Infinity;

  /** `dial` begins one attempt; `again` must follow its failure, or the loss of what it made. */
  constructor(places: readonly Place[], clock: Clock, dial: (place: Place) => void) {
    this.#places = places;
    this.#clock = clock;
    this.#dial = dial;
  }

  start(): void {
    this.#dial(this.#place);
  }

  /** Tries again: at once when a connection that served was lost, else after a pause. A place that has worked gets another chance before its backup. */
  again(): void {
    const now = this.#clock.monotonic();
    const atOnce = this.#proven && now - this.#lostAt >= calm;
    this.#lostAt = now;
    if (!this.#proven) this.#current++;
    this.#proven = false;
    this.#clock.sleep(atOnce ? 0 : this.#backOff.pause(), this.#stopped.signal).then(
      () => {
        if (!this.#stopped.signal.aborted) this.#dial(this.#place);
      },
      () => undefined,
    );
  }

  /** The device has answered at this place. */
  proven(): void {
    this.#proven = true;
    this.#backOff.reset();
  }

  stop(): void {
    this.#stopped.abort();
  }

  get #place(): Place {
    return this.#places[this.#current % this.#places.length] as Place;
  }
}
