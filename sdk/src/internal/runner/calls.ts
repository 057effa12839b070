import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../../context.ts';
import type { Call, Driver } from '../../driver.ts';
import { Fault } from '../../fault.ts';
import { type Priority, PriorityQueue } from '../../priority.ts';
import { Hung, within } from './deadline.ts';

export interface CallOptions {
  /** Which call goes first, for a driver whose calls do not overlap. */
  readonly priority: Priority;
  /** Completes the sentence "did not settle …". */
  readonly what: string;
  /** Milliseconds: of a poll from its begin, of any other call from its request, because somebody waits for it. */
  readonly deadline: number;
  readonly cause: Call['cause'];
}

interface Underway {
  readonly controller: AbortController;
  readonly made: Promise<unknown>;
  readonly giveUp: (fault: Fault) => void;
}

/** Makes the calls of one driver: overlapping, or one at a time if its definition asks for that. Each has a deadline. */
export class Calls {
  readonly #clock: Clock;
  readonly #isSerial: boolean;
  readonly #driver: () => Driver | undefined;
  readonly #hung: (fault: Hung) => void;
  readonly #underway = new Set<Underway>();
  /** Calls that wait for the one before them to end. */
  readonly #waiting = new PriorityQueue<() => Promise<void>>();
  #busy = false;

  /** `driver` gives the running instance, if there is one. `hung` is called before the next call is made. */
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
   * Calls the driver that runs, as soon as it may. Rejects with what the call rejects with, with DISCONNECTED when no driver runs,
   * with BUSY when the calls before it took too long, or with `Hung`.
   */
  make<T>(options: CallOptions, work: (driver: Driver, call: Call) => Promise<T>): Promise<T> {
    if (!this.#isSerial) return this.#begin(options, work);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const asked = this.#clock.monotonic();
    const begin = async (): Promise<T> => this.#begin(this.#remaining(options, asked), work);
    this.#waiting.push(() => begin().then(resolve, reject), options.priority);
    this.#next();
    return promise;
  }

  /** Aborts all calls and resolves when they have settled; after `grace` milliseconds they are rejected. */
  async abort(reason: Fault, grace: number): Promise<void> {
    const underway = [...this.#underway];
    if (underway.length === 0) return;
    for (const { controller } of underway) controller.abort(reason);
    const settled = new AbortController();
    const graceOver = this.#clock.sleep(grace, settled.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(underway.map(({ made }) => made)), graceOver]);
    settled.abort();
    for (const { giveUp } of underway) giveUp(reason);
  }

  #next(): void {
    if (this.#busy) return;
    const begin = this.#waiting.shift();
    if (begin === undefined) return;
    this.#busy = true;
    void begin().finally(() => {
      this.#busy = false;
      this.#next();
    });
  }

  /** The options with the rest of the deadline. A call that waited longer is not made: a command that late would be a surprise. */
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
        'The driver is not running: its start has not succeeded so far; the log has the reason.',
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
