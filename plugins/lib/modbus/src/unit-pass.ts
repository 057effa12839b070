import type { Clock, Fault, Values } from '@tagway/sdk';
import { damaged, disconnected, noResponse } from '@tagway/sdk/link';
import { Exception, isUnreachable } from './faults.ts';
import type { ReadRequest } from './read-request.ts';
import type { ModbusSettings } from './settings.ts';
import type { UnitPlan } from './unit-plan.ts';

/** Least pause before a request is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

/** How often requests are sent again that were lost with the connection and did not cause the loss. */
const mostLosses = 5;

/** Requests of one pass for which the connection was closed, after which a unit that has answered none is taken for the cause. */
const mostClosed = 3;

/** One unit's part of one read pass: it decides what is asked next, what is repeated, and when to give up. */
export class UnitPass {
  readonly plan: UnitPlan;
  /** The unit answered, be it with an exception. */
  heard = false;
  /** A request got no answer, so the unit is not asked any more in this pass. */
  silent = false;
  /** The connection is closed whatever the unit is asked. */
  isClosing = false;
  readonly #into: Values;
  readonly #settings: ModbusSettings;
  readonly #clock: Clock;
  /** The time of the pass in milliseconds since the epoch. */
  readonly #now: number;
  /** Requests to repeat, from `#repeatAt` on. */
  readonly #repeats: ReadRequest[] = [];
  #repeatAt = 0;
  #tries: Map<ReadRequest, number> | undefined;
  #losses = 0;
  readonly #closed: ReadRequest[] = [];

  constructor(plan: UnitPlan, into: Values, settings: ModbusSettings, clock: Clock, now: number) {
    this.plan = plan;
    this.#into = into;
    this.#settings = settings;
    this.#clock = clock;
    this.#now = now;
  }

  /** The next request to send. While one waits to be repeated, the unit's others wait behind it. */
  take(): ReadRequest | undefined {
    if (this.silent) return undefined;
    if (this.#repeats.length > 0)
      return this.#clock.monotonic() >= this.#repeatAt ? this.#repeats.shift() : undefined;
    const request = this.plan.take(this.#now, this.#into);
    // After the first for which the connection was closed the next one is under suspicion, until the unit answers.
    if (request !== undefined) request.isSuspect = this.#closed.length > 0 && !this.heard;
    return request;
  }

  /** A request beyond those of every pass: see `UnitPlan.takeExtra`. */
  takeExtra(most: number): ReadRequest | undefined {
    if (this.silent || this.#repeats.length > 0) return undefined;
    return this.plan.takeExtra(this.#now, most, this.#into);
  }

  /** When `take` has a repetition to give, by the monotonic clock; Infinity when nothing waits. */
  get repeatAt(): number {
    return this.#repeats.length > 0 ? this.#repeatAt : Infinity;
  }

  /** `exception` is 0 for a good answer. */
  answered(request: ReadRequest, exception: number): void {
    if (isUnreachable(exception)) return this.#unanswered(request);
    this.heard = true;
    const { max_retries } = this.#settings;
    const isBusy = exception === Exception.ACKNOWLEDGE || exception === Exception.SERVER_DEVICE_BUSY;
    if (exception === 0) this.plan.accept(request, this.#now);
    else if (!isBusy || !this.#repeat(request, Math.max(max_retries, 1), busyPause))
      this.plan.refuse(request, exception, this.#now, this.#into);
  }

  failed(request: ReadRequest, fault: Fault): void {
    if (fault === noResponse) return this.#unanswered(request);
    // A damaged answer is one too: the unit counts as heard and its other requests are still sent.
    if (fault === damaged) this.heard = true;
    if (fault !== damaged || !this.#repeat(request, this.#settings.max_retries))
      request.fill(fault, this.#into);
  }

  /** The request went with the connection. `isCause`: the request is the likely cause. */
  lost(request: ReadRequest, isCause: boolean): void {
    if (this.silent) return request.fill(noResponse, this.#into);
    if (!isCause) {
      if (this.#losses++ < mostLosses) this.#again(request, 0);
      else request.fill(disconnected, this.#into);
      return;
    }
    if (this.#repeat(request, Math.max(this.#settings.max_retries, 1) - 1)) return;
    this.#closed.push(request);
    this.plan.closed(request, this.#now, this.#into);
    if (this.heard || this.#closed.length < mostClosed) return;
    this.plan.forgive(this.#closed, this.#into);
    this.isClosing = true;
    this.#giveUp();
  }

  #unanswered(request: ReadRequest): void {
    if (!this.silent && this.#repeat(request, this.#settings.max_retries)) return;
    request.fill(noResponse, this.#into);
    this.#giveUp();
    this.plan.postpone(request, this.heard, this.#now);
  }

  /** What was not asked for in this pass gets its fault. */
  #giveUp(): void {
    this.silent = true;
    for (const waiting of this.#repeats.splice(0)) waiting.fill(noResponse, this.#into);
    this.plan.skip(noResponse, this.#into);
  }

  /** False when the request was repeated as often as it may. */
  #repeat(request: ReadRequest, most: number, leastPause = 0): boolean {
    const tries = this.#tries?.get(request) ?? 0;
    if (tries >= most) return false;
    (this.#tries ??= new Map()).set(request, tries + 1);
    this.#again(request, this.#clock.monotonic() + Math.max(this.#settings.retry_interval, leastPause));
    return true;
  }

  #again(request: ReadRequest, at: number): void {
    this.#repeats.push(request);
    this.#repeatAt = at;
  }
}
