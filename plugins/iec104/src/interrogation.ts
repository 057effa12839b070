import type { Fault } from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import type { StationAccess } from './activations.ts';
import { silentStation } from './faults.ts';
import { Patience } from './patience.ts';
import { asduOf } from './protocol.ts';

export interface InterrogationOptions extends StationAccess {
  /** Type identification, 100 for objects or 101 for counters. */
  readonly type: number;
  /** 20: the whole station; 5: all counters. */
  readonly qualifier: number;
  /** Milliseconds of silence after which it is over. */
  readonly patience: number;
  /** It has ended on this connection; negative: the station refused it. */
  readonly ended: (isRefused: boolean) => void;
}

/** Asks a station for all it has, once at a time. */
export class Interrogation {
  readonly #options: InterrogationOptions;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #patience: Patience | undefined;
  #hasAnswered = false;

  constructor(options: InterrogationOptions) {
    this.#options = options;
  }

  /** Resolves when an interrogation has ended that began after this call, also when the station refuses it. Rejects with NO_RESPONSE or DISCONNECTED. */
  ask(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** One of its answers has come. */
  heard(): void {
    this.#hasAnswered = true;
    this.#patience?.renew();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#run().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #run(): Promise<void> {
    const { activations, ca, clock, ended, patience, qualifier, send, type } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const element = Buffer.from([qualifier]);
    this.#hasAnswered = false;
    const over = (isRefused: boolean): void => {
      activations.remove(type, 0, false);
      ended(isRefused);
      resolve();
    };
    activations.add(type, 0, {
      element,
      confirmed: (refusal) => {
        this.heard();
        if (refusal !== undefined) over(true);
      },
      terminated: () => over(false),
      failed: (fault: Fault) => reject(fault),
    });
    using waiting = new Patience(clock, patience, () => {
      // A station that says no more has said all, unless it has said nothing.
      if (this.#hasAnswered) return over(false);
      activations.remove(type, 0, false);
      reject(silentStation);
    });
    this.#patience = waiting;
    if (!send(asduOf(type, ca, 0, element))) {
      activations.remove(type, 0, false);
      throw disconnected;
    }
    await promise;
  }
}
