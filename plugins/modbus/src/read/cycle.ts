import type { Call, Clock, Fault, Values } from '@tagway/sdk';
import { noResponse } from '@tagway/sdk/link';
import { broadcastRead } from '../faults.ts';
import type { Link } from '../link.ts';
import { Turn, type Sendable, type Sender, type Traffic } from '../traffic.ts';
import type { Units } from '../units.ts';
import type { Plan } from './plan.ts';
import type { ModbusSettings } from '../settings.ts';
import { ReadRequest } from './read-request.ts';
import { UnitCycle, type UnitObserver } from './unit-cycle.ts';
import type { UnitPlan } from './unit-plan.ts';

/** Most requests of one cycle that look for what the device refuses, or try it again. */
const extraRequests = 32;

/** Connections that one cycle may cost before it stops to look for what the device closes them for. */
const mostClosed = 4;

export interface CycleParts {
  readonly link: Pick<Link, 'broadcasts'>;
  readonly clock: Clock;
  readonly settings: ModbusSettings;
  readonly units: Units;
  readonly traffic: Traffic;
  /** Told of what the cycle leaves to others, and of units that did not answer. A test read tells nothing. */
  readonly watcher: CycleWatcher;
}

export interface CycleWatcher {
  /** The unit is left alone by the cycles, and due to be asked. */
  due(plan: UnitPlan): void;
  /** The request is left out of the cycles, and due to be asked. */
  ignored(plan: UnitPlan, request: ReadRequest): void;
  heard(unit: number, request: ReadRequest): void;
  /** The unit answered nothing. `isCause`: because the connection is closed when it is asked. */
  silent(unit: number, isCause: boolean): void;
}

/** One reading of one plan. The driver makes one for every call of `read` and never uses it again. */
export class Cycle implements Sender, UnitObserver {
  readonly turn: Sender['turn'];
  readonly #parts: CycleParts;
  readonly #plan: Plan;
  readonly #into: Values;
  readonly #call: Call;
  readonly #isTest: boolean;
  readonly #unitCycles: UnitCycle[] = [];
  #inFlight = 0;
  /** What is to be sent next, when it had to be found out whether there is anything. */
  #ready: ReadRequest | undefined;
  /** Something is left that may not be sent yet. */
  #isHeldUp = false;
  #extra = extraRequests;
  #closed = 0;
  #over = false;
  readonly #done = Promise.withResolvers<void>();

  constructor(parts: CycleParts, plan: Plan, into: Values, call: Call) {
    this.#parts = parts;
    this.#plan = plan;
    this.#into = into;
    this.#call = call;
    this.#isTest = call.cause === 'test';
    this.turn = call.cause === 'poll' ? Turn.POLL : Turn.REQUEST;
  }

  /**
   * Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes and is not back in time, or with the
   * signal's reason; points that had nothing by then are left out.
   */
  async run(): Promise<void> {
    const { signal } = this.#call;
    signal.throwIfAborted();
    const { traffic } = this.#parts;
    this.#begin();
    signal.addEventListener('abort', this.#abort);
    try {
      traffic.add(this);
      if (!this.#over) this.#look();
      await this.#done.promise;
    } finally {
      this.#over = true;
      traffic.remove(this);
      signal.removeEventListener('abort', this.#abort);
    }
    for (const plan of this.#plan.units) plan.end(this.#into);
    if (!this.#isTest) this.#judge();
  }

  next(onlySpare: boolean): Sendable | undefined {
    if (this.#over || (onlySpare && !this.#isTest)) return undefined;
    const { traffic, units } = this.#parts;
    const request = this.#ready ?? this.#take();
    this.#ready = undefined;
    if (request === undefined) {
      this.#endIfDone();
      return undefined;
    }
    if (this.#isTest) {
      request.isSuspect = true;
      request.isSpare = !units.isAlive(request.unit);
    }
    if (!traffic.allows(request.unit, traffic.isSuspect(request))) {
      this.#ready = request;
      return undefined;
    }
    request.observer = this.#unitCycleOf(request);
    this.#inFlight++;
    return request;
  }

  get nextAt(): number {
    let least = Infinity;
    for (const { repeatAt } of this.#unitCycles) if (repeatAt < least) least = repeatAt;
    return least;
  }

  ended(request: ReadRequest, fault: Fault | undefined): void {
    this.#inFlight--;
    this.#parts.traffic.ended(request, fault === undefined);
    if (this.#over) return;
    this.#look();
    this.#parts.traffic.pump();
  }

  failed(request: ReadRequest): void {
    this.#parts.traffic.failed(request);
  }

  lost(request: Sendable, isCause: boolean): void {
    this.#inFlight--;
    if (isCause) this.#closed++;
    if (this.#over || !(request instanceof ReadRequest)) return;
    if (isCause && this.#isTest) request.fill(noResponse, this.#into);
    else this.#unitCycleOf(request).lost(request, isCause);
    this.#look();
  }

  broken(fault: Fault): void {
    if (this.#over) return;
    this.#over = true;
    this.#done.reject(fault);
  }

  heard(plan: UnitPlan, request: ReadRequest): void {
    if (!this.#isTest) this.#parts.watcher.heard(plan.unit, request);
  }

  #begin(): void {
    const { clock, link, settings, traffic, units, watcher } = this.#parts;
    const into = this.#into;
    const now = clock.now();
    const suspected: UnitCycle[] = [];
    for (const { index, fault } of this.#plan.invalid) into.fault(index, fault);
    for (const plan of this.#plan.units) {
      plan.begin(now, traffic.epoch);
      if (link.broadcasts && plan.unit === 0) plan.skip(broadcastRead, into);
      else if (!this.#isTest && units.isSilent(plan.unit)) {
        plan.skip(noResponse, into);
        if (units.isDue(plan.unit, now)) watcher.due(plan);
      } else {
        const unit = new UnitCycle(plan, into, settings, clock, now, this);
        (units.isSuspected(plan.unit) ? suspected : this.#unitCycles).push(unit);
      }
    }
    this.#unitCycles.push(...suspected);
  }

  #unitCycleOf({ unit }: ReadRequest): UnitCycle {
    const first = this.#unitCycles[0];
    if (first?.plan.unit === unit) return first;
    return this.#unitCycles.find(({ plan }) => plan.unit === unit) as UnitCycle;
  }

  /** What is to be sent next: first what every cycle asks for, unit by unit, then repetitions and extra requests. */
  #take(): ReadRequest | undefined {
    const { traffic, units } = this.#parts;
    this.#isHeldUp = false;
    for (const unit of this.#unitCycles) {
      if (!traffic.allows(unit.plan.unit, units.isSuspected(unit.plan.unit))) this.#isHeldUp = true;
      else {
        const request = unit.take();
        if (request !== undefined) return request;
      }
    }
    if (this.#isHeldUp || this.#extra === 0 || this.#closed >= mostClosed) return undefined;
    for (const unit of this.#unitCycles) {
      const request = unit.takeExtra();
      if (request === undefined) continue;
      this.#extra--;
      return request;
    }
    return undefined;
  }

  /** Finds out whether there is anything left, when nothing is under way. */
  #look(): void {
    if (this.#inFlight > 0) return;
    this.#ready ??= this.#take();
    if (this.#ready === undefined) this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#over || this.#inFlight > 0 || this.#isHeldUp || this.nextAt < Infinity) return;
    this.#over = true;
    this.#done.resolve();
  }

  readonly #abort = (): void => {
    this.broken(this.#call.signal.reason as Fault);
  };

  #judge(): void {
    const { watcher } = this.#parts;
    for (const plan of this.#plan.units) for (const request of plan.takeDue()) watcher.ignored(plan, request);
    for (const { heard, isShut, silent, plan } of this.#unitCycles)
      if (silent && !heard) watcher.silent(plan.unit, isShut);
  }
}
