import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../context.ts';
import type { Call, Driver } from '../driver.ts';
import { Fault } from '../fault.ts';
import { within } from './deadline.ts';

/** What goes first where calls do not overlap: the lower number. */
export const Turn = { WRITE: 0, REQUEST: 1, POLL: 2 } as const;
type Turn = (typeof Turn)[keyof typeof Turn];

export interface CallOptions {
  readonly turn: Turn;
  /** Completes the sentence "did not settle …". */
  readonly what: string;
  /** Milliseconds. */
  readonly deadline: number;
  readonly cause: Call['cause'];
}

interface Waiting {
  begin(): Promise<void>;
}

/** Makes the calls of one driver: overlapping, or one at a time for a driver that asks for that. Each has its deadline. */
export class Calls {
  readonly #clock: Clock;
  readonly #isSerial: boolean;
  readonly #driver: () => Driver | undefined;
  readonly #underway = new Map<Promise<unknown>, AbortController>();
  readonly #waiting: readonly [Waiting[], Waiting[], Waiting[]] = [[], [], []];
  #busy = false;

  /** `driver` gives the instance that runs, if one does. */
  constructor(clock: Clock, isSerial: boolean, driver: () => Driver | undefined) {
    this.#clock = clock;
    this.#isSerial = isSerial;
    this.#driver = driver;
  }

  /**
   * Calls the driver that runs when the turn has come. Rejects with what the call rejects with, with DISCONNECTED when no driver runs, or
   * with `Hung`.
   */
  make<T>(options: CallOptions, work: (driver: Driver, call: Call) => Promise<T>): Promise<T> {
    if (!this.#isSerial) return this.#begin(options, work);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting[options.turn].push({ begin: () => this.#begin(options, work).then(resolve, reject) });
    this.#next();
    return promise;
  }

  /** Aborts what is under way and resolves when it has settled, or after `grace` milliseconds. */
  async abort(reason: Fault, grace: number): Promise<void> {
    if (this.#underway.size === 0) return;
    for (const controller of this.#underway.values()) controller.abort(reason);
    const settled = new AbortController();
    const patience = this.#clock.sleep(grace, settled.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#underway.keys()), patience]);
    settled.abort();
  }

  #next(): void {
    if (this.#busy) return;
    const next = this.#waiting.find((queue) => queue.length > 0)?.shift();
    if (next === undefined) return;
    this.#busy = true;
    void next.begin().finally(() => {
      this.#busy = false;
      this.#next();
    });
  }

  async #begin<T>(
    { what, deadline, cause }: CallOptions,
    work: (driver: Driver, call: Call) => Promise<T>,
  ): Promise<T> {
    const driver = this.#driver();
    if (driver === undefined) {
      throw new Fault(
        ErrorCode.DISCONNECTED,
        'The driver is not running: its start has not succeeded so far; the log tells why.',
      );
    }
    const controller = new AbortController();
    const overrun = (): void =>
      controller.abort(
        new Fault(ErrorCode.NO_RESPONSE, `The ${what} took longer than ${deadline / 1000} s and was ended.`),
      );
    const made = within(
      this.#clock,
      work(driver, { signal: controller.signal, cause }),
      what,
      deadline,
      overrun,
    );
    this.#underway.set(made, controller);
    try {
      return await made;
    } finally {
      this.#underway.delete(made);
    }
  }
}
