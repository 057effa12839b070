import type { Fault, Values } from '@tagway/sdk';
import { damaged, noResponse } from '@tagway/sdk/link';
import { Exception } from '../faults.ts';
import type { ModbusSettings } from '../settings.ts';
import type { ReadObserver, ReadRequest } from './read-request.ts';
import type { UnitPlan } from './unit-plan.ts';

/** Least pause before a request is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

type RetrySettings = Pick<ModbusSettings, 'max_retries' | 'retry_interval'>;

/**
 * One unit's part of one read cycle: it decides what is asked next, what is repeated, and when to give up. The cycle makes
 * it and drops it at its end.
 */
export class UnitCycle implements ReadObserver {
  readonly plan: UnitPlan;
  readonly into: Values;
  /** The unit answered, be it with an exception. */
  heard = false;
  /** A gateway on the way answered that it cannot reach the unit. */
  gatewayHeard = false;
  /** A request got no answer, so the unit is not asked any more in this cycle. */
  silent = false;
  readonly #settings: RetrySettings;
  readonly #now: number;
  readonly #ended: (request: ReadRequest, fault: Fault | undefined) => void;
  /** Requests to repeat, from `#repeatAt` on. */
  readonly #repeats: ReadRequest[] = [];
  #repeatAt = 0;
  readonly #tries = new Map<ReadRequest, number>();

  /** `now` is the cycle's time in milliseconds since the epoch; `ended` is told of every request that has ended. */
  constructor(
    plan: UnitPlan,
    into: Values,
    settings: RetrySettings,
    now: number,
    ended: (request: ReadRequest, fault: Fault | undefined) => void,
  ) {
    this.plan = plan;
    this.into = into;
    this.#settings = settings;
    this.#now = now;
    this.#ended = ended;
  }

  /** The next request to send. While one waits to be repeated, the unit's others wait behind it. */
  take(): ReadRequest | undefined {
    if (this.silent) return undefined;
    if (this.#repeats.length > 0)
      return performance.now() >= this.#repeatAt ? this.#repeats.shift() : undefined;
    return this.plan.take(this.#now, this.into);
  }

  /** A request beyond those of every cycle: see `UnitPlan.takeExtra`. */
  takeExtra(): ReadRequest | undefined {
    return this.silent || this.#repeats.length > 0 ? undefined : this.plan.takeExtra(this.#now);
  }

  /** When `take` has a repetition to give, in the time of `performance.now()`; Infinity when nothing waits. */
  get repeatAt(): number {
    return this.#repeats.length > 0 ? this.#repeatAt : Infinity;
  }

  answered(request: ReadRequest, exception: number): void {
    if (exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED) {
      this.gatewayHeard = true;
      this.#unanswered(request);
    } else {
      this.heard = true;
      if (exception === 0) this.plan.accept(request, this.#now);
      else this.#refused(request, exception);
    }
    this.#ended(request, undefined);
  }

  failed(request: ReadRequest, fault: Fault): void {
    if (fault === noResponse) this.#unanswered(request);
    else if (fault === damaged) this.#damaged(request);
    else request.fill(fault, this.into);
    this.#ended(request, fault);
  }

  /** Gives the fault to everything that was not asked for in this cycle. */
  skip(fault: Fault): void {
    for (const waiting of this.#repeats.splice(0)) waiting.fill(fault, this.into);
    this.plan.skip(fault, this.into);
  }

  #refused(request: ReadRequest, exception: number): void {
    const busy = exception === Exception.ACKNOWLEDGE || exception === Exception.SERVER_DEVICE_BUSY;
    if (busy && this.#repeat(request, Math.max(this.#settings.max_retries, 1), busyPause)) return;
    this.plan.refuse(request, exception, this.#now, this.into);
  }

  #unanswered(request: ReadRequest): void {
    if (!this.silent && this.#repeat(request, this.#settings.max_retries, 0)) return;
    this.silent = true;
    request.fill(noResponse, this.into);
    this.skip(noResponse);
    this.plan.postpone(request, this.heard, this.#now);
  }

  /** Something did answer, so the unit counts as heard and its other requests are still sent. */
  #damaged(request: ReadRequest): void {
    this.heard = true;
    if (!this.#repeat(request, this.#settings.max_retries, 0)) request.fill(damaged, this.into);
  }

  #repeat(request: ReadRequest, most: number, pause: number): boolean {
    const tries = this.#tries.get(request) ?? 0;
    if (tries >= most) return false;
    this.#tries.set(request, tries + 1);
    this.#repeats.push(request);
    this.#repeatAt = performance.now() + Math.max(this.#settings.retry_interval, pause);
    return true;
  }
}
