import { BackOff, dialPauses } from '../back-off.ts';
import type { Clock } from '../context.ts';

/** Where a device is on a network: a host name or an address, and a port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Least milliseconds between two losses for a new attempt without a pause: a device may end the connection at every request. */
const calm = 1000;

/** Decides when to try to connect, and to which target of the device: one of its endpoints on a network, or the one path of a serial port. */
export class Dialer<Target = Endpoint> {
  readonly #targets: readonly Target[];
  readonly #clock: Clock;
  readonly #dial: (target: Target) => void;
  readonly #backOff = new BackOff(dialPauses);
  readonly #stopped = new AbortController();
  #current = 0;
  #proven = false;
  #lostAt = -Infinity;

  /** `dial` begins one attempt; `again` must follow its failure, or the loss of what it made. */
  constructor(targets: readonly Target[], clock: Clock, dial: (target: Target) => void) {
    this.#targets = targets;
    this.#clock = clock;
    this.#dial = dial;
  }

  start(): void {
    this.#dial(this.#target);
  }

  /** Tries again: at once when a proven connection was lost, otherwise after a pause. A proven target is tried once more before the next one. */
  again(): void {
    const now = this.#clock.monotonic();
    const atOnce = this.#proven && now - this.#lostAt >= calm;
    this.#lostAt = now;
    if (!this.#proven) this.#current++;
    this.#proven = false;
    this.#clock.sleep(atOnce ? 0 : this.#backOff.next(), this.#stopped.signal).then(
      () => {
        if (!this.#stopped.signal.aborted) this.#dial(this.#target);
      },
      () => undefined,
    );
  }

  /** The device has answered at this target. */
  proven(): void {
    this.#proven = true;
    this.#backOff.reset();
  }

  stop(): void {
    this.#stopped.abort();
  }

  get #target(): Target {
    return this.#targets[this.#current % this.#targets.length] as Target;
  }
}
