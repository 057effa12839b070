import type { Fault } from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import type { StationAccess } from './activations.ts';
import { silentStation } from './faults.ts';
import { asduOf } from '@tagway/iec104';
import { Watchdog } from './watchdog.ts';

export interface InterrogationOptions extends StationAccess {
  /** Type identification, 100 for objects or 101 for counters. */
  readonly type: number;
  /** 20: the whole station; 5: all counters. */
  readonly qualifier: number;
  /** Milliseconds without any answer after which it is over. */
  readonly silence: number;
  /** It has ended on this connection. `refusal`: the cause of transmission with which the station refused it. */
  readonly ended: (refusal: number | undefined) => void;
}

/** Asks a station for all its objects or counters, one interrogation at a time. */
export class Interrogation {
  readonly #options: InterrogationOptions;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #watchdog: Watchdog | undefined;
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
    this.#watchdog?.renew();
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
    const { activations, ca, clock, ended, qualifier, send, silence, type } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const element = Buffer.from([qualifier]);
    this.#hasAnswered = false;
    const over = (refusal?: number): void => {
      activations.remove(type, 0, false);
      ended(refusal);
      resolve();
    };
    activations.add(type, 0, {
      element,
      confirmed: (refusal) => {
        this.heard();
        if (refusal !== undefined) over(refusal);
      },
      terminated: () => over(),
      failed: (fault: Fault) => reject(fault),
    });
    using watchdog = new Watchdog(clock, silence, () => {
      // Not every station says that an interrogation is complete; one that has sent nothing has not answered.
      if (this.#hasAnswered) return over();
      activations.remove(type, 0, false);
      reject(silentStation);
    });
    this.#watchdog = watchdog;
    if (!send(asduOf(type, ca, 0, element))) {
      activations.remove(type, 0, false);
      throw disconnected;
    }
    await promise;
  }
}
