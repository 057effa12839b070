import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../context.ts';
import type { Call, Driver } from '../driver.ts';
import { Fault } from '../fault.ts';
import { Hung, within } from './deadline.ts';

/** What goes first where calls do not overlap: the lower number. */
export const Turn = { WRITE: 0, REQUEST: 1, POLL: 2 } as const;
type Turn = (typeof Turn)[keyof typeof Turn];

export interface CallOptions {
  readonly turn: Turn;
  /** Completes the sentence "did not settle …". */
  readonly what: string;
  /** Milliseconds. Somebody waits for what is not a poll: there it counts from the moment of asking. */
  readonly deadline: number;
  readonly cause: Call['cause'];
}

interface Waiting {
  begin(): Promise<void>;
}

interface Underway {
  readonly controller: AbortController;
  readonly made: Promise<unknown>;
  readonly giveUp: (fault: Fault) => void;
}

/** Makes the calls of one driver: overlapping, or one at a time for a driver that asks for that. Each has its deadline. */
export class Calls {
  readonly #clock: Clock;
  readonly #isSerial: boolean;
  readonly #driver: () => Driver | undefined;
  readonly #hung: (fault: Hung) => void;
  readonly #underway = new Set<Underway>();
  readonly #waiting: readonly [Waiting[], Waiting[], Waiting[]] = [[], [], []];
  #busy = false;

  /** `driver` gives the instance that runs, if one does. `hung` is told of a call before the next one is made. */
  constructor(
    clock: Clock,
    isSerial: boolean,
    driver: () => Driver | undefined,
    hung: (fault: Hung) => void,
  ) {
    this.#clock = clock;
    this.#isSerial = isSerial;
    this.#driver = driver;
    this.#hung = hung;
  }

  /**
   * Calls the driver that runs when the turn has come. Rejects with what the call rejects with, with DISCONNECTED when no driver runs,
   * with BUSY when the turn did not come in time, or with `Hung`.
   */
  make<T>(options: CallOptions, work: (driver: Driver, call: Call) => Promise<T>): Promise<T> {
    if (!this.#isSerial) return this.#begin(options, work);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const asked = this.#clock.monotonic();
    const begin = async (): Promise<T> => this.#begin(this.#remaining(options, asked), work);
    this.#waiting[options.turn].push({ begin: () => begin().then(resolve, reject) });
    this.#next();
    return promise;
  }

  /** Aborts what is under way and resolves when it has settled, after `grace` milliseconds whether the driver has settled it or not. */
  async abort(reason: Fault, grace: number): Promise<void> {
    const underway = [...this.#underway];
    if (underway.length === 0) return;
    for (const { controller } of underway) controller.abort(reason);
    const settled = new AbortController();
    const patience = this.#clock.sleep(grace, settled.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(underway.map(({ made }) => made)), patience]);
    settled.abort();
    for (const { giveUp } of underway) giveUp(reason);
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

  /** What is left of the deadline. Nobody waits any more for what was asked too long ago, and a command must not come as a surprise. */
  #remaining(options: CallOptions, asked: number): CallOptions {
    if (options.cause === 'poll') return options;
    const deadline = options.deadline - (this.#clock.monotonic() - asked);
    if (deadline > 0) return { ...options, deadline };
    throw new Fault(
      ErrorCode.BUSY,
      `The ${options.what} waited ${options.deadline / 1000} s for its turn and was not begun: the driver is busy with other calls.`,
    );
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
    const givenUp = Promise.withResolvers<never>();
    const seconds = Math.ceil(deadline / 1000);
    const overrun = (): void =>
      controller.abort(
        new Fault(ErrorCode.NO_RESPONSE, `The ${what} took longer than ${seconds} s and was ended.`),
      );
    const call = Promise.race([work(driver, { signal: controller.signal, cause }), givenUp.promise]);
    const made = within(this.#clock, call, what, deadline, overrun);
    const entry = { controller, made, giveUp: givenUp.reject };
    this.#underway.add(entry);
    try {
      return await made;
    } catch (error) {
      if (error instanceof Hung) this.#hung(error);
      throw error;
    } finally {
      this.#underway.delete(entry);
    }
  }
}
