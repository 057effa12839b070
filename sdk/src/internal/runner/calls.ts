import { ErrorCode } from '@tagway/schemas';
import type { Clock } from '../../context.ts';
import type { Call, Driver } from '../../driver.ts';
import { Fault } from '../../fault.ts';
import { type Priority, PriorityQueue } from '../../priority.ts';
import { deadlines, Hung } from './deadline.ts';

export interface CallOptions {
  /** Which call goes first, for a driver whose calls do not overlap. */
  readonly priority: Priority;
  /** Completes the sentence "did not settle …". */
  readonly what: string;
  /** Milliseconds: of a poll from its begin, of any other call from its request, because somebody waits for it. */
  readonly deadline: number;
  readonly cause: Call['cause'];
}

/** A call that has not settled. */
class Underway {
  readonly what: string;
  /** Milliseconds. */
  readonly deadline: number;
  readonly controller = new AbortController();
  /** What the caller gets. Made by hand, because a race of promises makes six more for every call. */
  readonly settled: Promise<unknown>;
  resolve!: (value: unknown) => void;
  reject!: (error: unknown) => void;
  /** When the call is aborted, and once it is, when it is given up; in the time of the clock's `monotonic`. */
  due: number;
  /** It is past its deadline, and its signal has aborted for that. */
  isLate = false;

  constructor({ what, deadline }: CallOptions, now: number) {
    this.what = what;
    this.deadline = deadline;
    this.due = now + deadline;
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
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
  /** One for all calls: nearly all of them end long before their deadline. It fires at the latest when the first of them is due. */
  #timer: Disposable | undefined;
  #firesAt = Infinity;

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
    for (const { controller } of underway) controller.abort(reason);
    const settled = new AbortController();
    const graceOver = this.#clock.sleep(grace, settled.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(underway.map((call) => call.settled)), graceOver]);
    settled.abort();
    this.#unwatch();
    for (const call of underway) this.#fail(call, reason);
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

  #begin<T>(options: CallOptions, work: (driver: Driver, call: Call) => Promise<T>): Promise<T> {
    const driver = this.#driver();
    if (driver === undefined) return Promise.reject(notRunning());
    const call = new Underway(options, this.#clock.monotonic());
    this.#underway.add(call);
    this.#watch(call.due);
    try {
      work(driver, { signal: call.controller.signal, cause: options.cause }).then(
        (value) => {
          this.#underway.delete(call);
          call.resolve(value);
        },
        (error: unknown) => this.#fail(call, error),
      );
    } catch (error) {
      this.#fail(call, error);
    }
    return call.settled as Promise<T>;
  }

  /** The call has failed, or is given up. */
  #fail(call: Underway, error: unknown): void {
    if (!this.#underway.delete(call)) return;
    if (error instanceof Hung) this.#hung(error);
    call.reject(error);
  }

  #unwatch(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  #watch(due: number): void {
    if (due >= this.#firesAt) return;
    this.#unwatch();
    this.#firesAt = due;
    this.#timer = this.#clock.timer(Math.max(1, Math.ceil(due - this.#clock.monotonic())), this.#fire);
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#firesAt = Infinity;
    const now = this.#clock.monotonic();
    for (const call of this.#underway) {
      // Timers count whole milliseconds and may fire a fraction early.
      if (call.due <= now + 0.5) this.#overrun(call, now);
      this.#watch(call.due);
    }
  };

  /** The call is aborted, and given up when it does not settle then. */
  #overrun(call: Underway, now: number): void {
    const { what, controller, deadline } = call;
    const seconds = Math.ceil(deadline / 1000);
    if (!call.isLate) {
      call.isLate = true;
      call.due = now + deadlines.abort;
      controller.abort(
        new Fault(ErrorCode.NO_RESPONSE, `The ${what} took longer than ${seconds} s and was ended.`),
      );
      return;
    }
    call.due = Infinity;
    this.#fail(
      call,
      new Hung(
        ErrorCode.NO_RESPONSE,
        `The plugin did not settle ${what} within ${deadline / 1000} s, and not ${deadlines.abort / 1000} s after its signal aborted either.`,
      ),
    );
  }
}

const notRunning = (): Fault =>
  new Fault(
    ErrorCode.DISCONNECTED,
    'The driver is not running: its start has not succeeded so far; the log has the reason.',
  );
