import type { Clock, Fault, Values } from '@tagway/sdk';
import { damaged, disconnected, noResponse } from '@tagway/sdk/link';
import { Exception } from '../faults.ts';
import type { ModbusSettings } from '../settings.ts';
import type { ReadObserver, ReadRequest } from './read-request.ts';
import type { UnitPlan } from './unit-plan.ts';

/** Least pause before a request is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

/** How often a request is sent again that went with the connection by no fault of its own. */
const mostLosses = 5;

/** Requests of one cycle for which the connection was closed, after which it is the unit that is taken for the cause if it has answered none. */
const mostShut = 3;

type RetrySettings = Pick<ModbusSettings, 'max_retries' | 'retry_interval'>;

/** What a unit's part of a cycle tells of its requests. */
export interface UnitObserver {
  /** The request has ended; `fault` is that of a request without a usable answer. */
  ended(request: ReadRequest, fault: Fault | undefined): void;
  /** The request went with the connection; `lost` of the unit's part follows. */
  failed(request: ReadRequest): void;
  /** The unit answered this for the first time in this cycle. */
  heard(unit: UnitPlan, request: ReadRequest): void;
}

/**
 * One unit's part of one read cycle: it decides what is asked next, what is repeated, and when to give up. The cycle makes
 * it and drops it at its end.
 */
export class UnitCycle implements ReadObserver {
  readonly plan: UnitPlan;
  readonly into: Values;
  /** The unit answered, be it with an exception. */
  heard = false;
  /** A request got no answer, so the unit is not asked any more in this cycle. */
  silent = false;
  /** The connection is closed whatever the unit is asked. */
  isShut = false;
  readonly #settings: RetrySettings;
  readonly #clock: Clock;
  /** The cycle's time in milliseconds since the epoch. */
  readonly #now: number;
  readonly #observer: UnitObserver;
  /** Requests to repeat, from `#repeatAt` on. */
  readonly #repeats: ReadRequest[] = [];
  #repeatAt = 0;
  #tries: Map<ReadRequest, number> | undefined;
  #losses = 0;
  readonly #shut: ReadRequest[] = [];

  constructor(
    plan: UnitPlan,
    into: Values,
    settings: RetrySettings,
    clock: Clock,
    now: number,
    observer: UnitObserver,
  ) {
    this.plan = plan;
    this.into = into;
    this.#settings = settings;
    this.#clock = clock;
    this.#now = now;
    this.#observer = observer;
  }

  /** The next request to send. While one waits to be repeated, the unit's others wait behind it. */
  take(): ReadRequest | undefined {
    if (this.silent) return undefined;
    if (this.#repeats.length > 0)
      return this.#clock.monotonic() >= this.#repeatAt ? this.#repeats.shift() : undefined;
    const request = this.plan.take(this.#now, this.into);
    // After the first for which the connection was closed the next one is under suspicion, until the unit answers.
    if (request !== undefined) request.isSuspect = this.#shut.length > 0 && !this.heard;
    return request;
  }

  /** A request beyond those of every cycle: see `UnitPlan.takeExtra`. */
  takeExtra(): ReadRequest | undefined {
    return this.silent || this.#repeats.length > 0 ? undefined : this.plan.takeExtra(this.#now);
  }

  /** When `take` has a repetition to give, by the monotonic clock; Infinity when nothing waits. */
  get repeatAt(): number {
    return this.#repeats.length > 0 ? this.#repeatAt : Infinity;
  }

  answered(request: ReadRequest, exception: number): void {
    if (exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED)
      this.#unanswered(request);
    else {
      if (!this.heard) this.#observer.heard(this.plan, request);
      this.heard = true;
      if (exception === 0) this.plan.accept(request, this.#now);
      else this.#refused(request, exception);
    }
    this.#observer.ended(request, undefined);
  }

  failed(request: ReadRequest, fault: Fault): void {
    if (fault === disconnected) return this.#observer.failed(request);
    if (fault === noResponse) this.#unanswered(request);
    else if (fault === damaged) this.#damaged(request);
    else request.fill(fault, this.into);
    this.#observer.ended(request, fault);
  }

  /** The request went with the connection. `isCause`: because of it, as far as can be told. */
  lost(request: ReadRequest, isCause: boolean): void {
    if (this.silent) return request.fill(noResponse, this.into);
    const settings = this.#settings;
    if (isCause ? this.#repeat(request, Math.max(settings.max_retries, 1) - 1, 0) : this.#again(request))
      return;
    if (!isCause) return request.fill(disconnected, this.into);
    this.#shut.push(request);
    this.plan.shut(request, this.#now, this.into);
    if (this.heard || this.#shut.length < mostShut) return;
    this.plan.forgive(this.#shut, this.into);
    this.isShut = true;
    this.#giveUp();
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
    request.fill(noResponse, this.into);
    this.#giveUp();
    this.plan.postpone(request, this.heard, this.#now);
  }

  #giveUp(): void {
    this.silent = true;
    this.skip(noResponse);
  }

  /** Something did answer, so the unit counts as heard and its other requests are still sent. */
  #damaged(request: ReadRequest): void {
    if (!this.heard) this.#observer.heard(this.plan, request);
    this.heard = true;
    if (!this.#repeat(request, this.#settings.max_retries, 0)) request.fill(damaged, this.into);
  }

  #again(request: ReadRequest): boolean {
    if (this.#losses >= mostLosses) return false;
    this.#losses++;
    this.#repeats.push(request);
    this.#repeatAt = 0;
    return true;
  }

  #repeat(request: ReadRequest, most: number, pause: number): boolean {
    const tries = this.#tries?.get(request) ?? 0;
    if (tries >= most) return false;
    (this.#tries ??= new Map()).set(request, tries + 1);
    this.#repeats.push(request);
    this.#repeatAt = this.#clock.monotonic() + Math.max(this.#settings.retry_interval, pause);
    return true;
  }
}
