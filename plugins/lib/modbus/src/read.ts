import type { Call, Clock, Fault, Values } from '@tagway/sdk';
import { noResponse, Priority } from '@tagway/sdk/link';
import { broadcastRead } from './faults.ts';
import type { ReadPlan } from './plan.ts';
import type { ReadRequest } from './read-request.ts';
import type { ModbusSettings } from './settings.ts';
import type { Sender, Traffic } from './traffic.ts';
import { UnitPass } from './unit-pass.ts';
import type { UnitWatch } from './unit-watch.ts';
import type { Units } from './units.ts';

/** Most requests of one pass that look for what the device refuses, or try it again. */
const extraRequests = 32;

/** Connections that one pass may cost before it stops to look for what the device closes them for. */
const mostClosed = 4;

export interface ReadParts {
  readonly clock: Clock;
  readonly settings: ModbusSettings;
  readonly units: Units;
  readonly traffic: Traffic;
  readonly watch: UnitWatch;
}

/** One pass of reading the points of one plan. The driver makes one for every call of `read`. */
export class ReadPass implements Sender {
  readonly priority: Priority;
  readonly #parts: ReadParts;
  readonly #plan: ReadPlan;
  readonly #into: Values;
  readonly #call: Call;
  readonly #isTest: boolean;
  /** Milliseconds since the epoch. */
  readonly #now: number;
  readonly #units: UnitPass[] = [];
  #inFlight = 0;
  /** What is to be sent next, when it had to be found out whether there is anything. */
  #ready: ReadRequest | undefined;
  /** Something is left that may not be sent yet. */
  #isHeldUp = false;
  #extra = extraRequests;
  #closed = 0;
  #over = false;
  readonly #done = Promise.withResolvers<void>();

  constructor(parts: ReadParts, plan: ReadPlan, into: Values, call: Call) {
    this.#parts = parts;
    this.#plan = plan;
    this.#into = into;
    this.#call = call;
    this.#now = parts.clock.now();
    this.#isTest = call.cause === 'test';
    this.priority = call.cause === 'poll' ? Priority.POLL : Priority.REQUEST;
  }

  /**
   * Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes and is not back in time, or with the
   * signal's reason; points that had nothing by then are left out.
   */
  async run(): Promise<void> {
    const { signal } = this.#call;
    signal.throwIfAborted();
    const { traffic, watch } = this.#parts;
    this.#begin();
    traffic.add(this);
    if (!this.#over) this.#look();
    const abort = (): void => {
      // Removed later, below: when many passes are aborted together, none of them may send what the others leave room for.
      this.#over = true;
      this.#done.reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#done.promise;
    } finally {
      this.#over = true;
      signal.removeEventListener('abort', abort);
      traffic.remove(this);
    }
    for (const plan of this.#plan.units) plan.end(this.#now, this.#into);
    // A test read changes nothing that production depends on.
    if (this.#isTest) return;
    for (const plan of this.#plan.units)
      if (plan.hasDue) for (const request of plan.takeDue()) watch.ignored(plan, request);
    for (const { heard, isClosing, silent, plan } of this.#units)
      if (silent && !heard) watch.silent(plan.unit, isClosing);
  }

  next(onlySpare: boolean): ReadRequest | undefined {
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
      request.isSpare = !units.get(request.unit).alive;
    }
    if (!traffic.mayLeave(request)) {
      this.#ready = request;
      return undefined;
    }
    this.#inFlight++;
    return request;
  }

  get nextAt(): number {
    let least = Infinity;
    for (const { repeatAt } of this.#units) if (repeatAt < least) least = repeatAt;
    return least;
  }

  requestAnswered(request: ReadRequest, exception: number, data: Buffer, start: number): void {
    const unit = this.#unitOf(request);
    const wasHeard = unit.heard;
    if (exception === 0) request.decode(data, start, this.#into);
    unit.answered(request, exception);
    this.#ended(request, unit, wasHeard);
  }

  requestFailed(request: ReadRequest, fault: Fault): void {
    const unit = this.#unitOf(request);
    const wasHeard = unit.heard;
    unit.failed(request, fault);
    this.#ended(request, unit, wasHeard);
  }

  requestLost(request: ReadRequest, isCause: boolean): void {
    this.#inFlight--;
    if (isCause) this.#closed++;
    if (this.#over) return;
    if (isCause && this.#isTest) request.fill(noResponse, this.#into);
    else this.#unitOf(request).lost(request, isCause);
    this.#look();
  }

  broken(fault: Fault): void {
    if (this.#over) return;
    this.#over = true;
    this.#done.reject(fault);
  }

  #begin(): void {
    const { clock, settings, traffic, units, watch } = this.#parts;
    const into = this.#into;
    const now = this.#now;
    const suspected: UnitPass[] = [];
    for (const { index, fault } of this.#plan.invalid) into.fault(index, fault);
    for (const plan of this.#plan.units) {
      const unit = units.get(plan.unit);
      plan.begin(now, traffic.epoch);
      if (traffic.session.broadcasts && plan.unit === 0) plan.skip(broadcastRead, into);
      else if (!this.#isTest && unit.silent) {
        plan.skip(noResponse, into);
        if (units.isDue(plan.unit, now)) watch.due(plan);
      } else (unit.suspected ? suspected : this.#units).push(new UnitPass(plan, into, settings, clock, now));
    }
    this.#units.push(...suspected);
  }

  #unitOf({ unit }: ReadRequest): UnitPass {
    const first = this.#units[0]!;
    return first.plan.unit === unit ? first : this.#units.find(({ plan }) => plan.unit === unit)!;
  }

  /** What is to be sent next: first what every pass asks for, unit by unit, then repetitions and extra requests. */
  #take(): ReadRequest | undefined {
    this.#isHeldUp = false;
    for (const unit of this.#units) {
      const mayLeave = this.#parts.traffic.allows(unit.plan.unit);
      const request = mayLeave ? unit.take() : undefined;
      if (request !== undefined) return request;
      if (!mayLeave) this.#isHeldUp = true;
    }
    if (this.#isHeldUp || this.#extra === 0 || this.#closed >= mostClosed) return undefined;
    for (const unit of this.#units) {
      const request = unit.takeExtra(this.#extra);
      if (request === undefined) continue;
      this.#extra--;
      return request;
    }
    return undefined;
  }

  #ended(request: ReadRequest, unit: UnitPass, wasHeard: boolean): void {
    this.#inFlight--;
    if (unit.heard && !wasHeard && !this.#isTest) this.#parts.watch.heard(request.unit, request);
    if (!this.#over) this.#look();
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
}
