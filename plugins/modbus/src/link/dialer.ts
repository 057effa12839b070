import type { Clock } from '@tagway/sdk';
import { Backoff } from './backoff.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Decides when to try to connect, and to which of the device's endpoints: places on a network, or the one path of a serial port. */
export class Dialer<Place = Endpoint> {
  readonly #endpoints: readonly Place[];
  readonly #clock: Clock;
  readonly #dial: (endpoint: Place) => void;
  readonly #backoff = new Backoff();
  readonly #stopped = new AbortController();
  #current = 0;
  #proven = false;

  /** `dial` begins one attempt; `again` must follow its failure, or the loss of what it made. */
  constructor(endpoints: readonly Place[], clock: Clock, dial: (endpoint: Place) => void) {
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#dial = dial;
  }

  start(): void {
    this.#dial(this.#endpoint);
  }

  /** Tries again after a pause: an endpoint that has worked gets another chance before its backup. */
  again(): void {
    if (!this.#proven) this.#current++;
    this.#proven = false;
    this.#clock.sleep(this.#backoff.pause(), this.#stopped.signal).then(
      () => {
        if (!this.#stopped.signal.aborted) this.#dial(this.#endpoint);
      },
      () => undefined,
    );
  }

  /** The device has answered at this endpoint. */
  proven(): void {
    this.#proven = true;
    this.#backoff.reset();
  }

  stop(): void {
    this.#stopped.abort();
  }

  get #endpoint(): Place {
    return this.#endpoints[this.#current % this.#endpoints.length] as Place;
  }
}
