import { ErrorCode, type Call, type Clock, type Fault, type Log, type Values } from '@tagway/sdk';
import { disconnected, noResponse } from '@tagway/sdk/link';
import { broadcastRead, isOfRequest } from '../faults.ts';
import type { Exchange, Link } from '../link.ts';
import type { Pace } from '../pace.ts';
import type { Plan } from './plan.ts';
import type { ModbusSettings } from '../settings.ts';
import type { ReadRequest } from './read-request.ts';
import type { SilentUnits } from './silent-units.ts';
import { UnitCycle } from './unit-cycle.ts';

/** Most requests of one cycle that look for what the device refuses, or try it again. */
const extraRequests = 32;

export interface CycleParts {
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ModbusSettings;
  readonly silentUnits: SilentUnits;
  readonly pace: Pace;
}

/** One reading of one plan. The driver makes one for every call of `read` and never uses it again. */
export class Cycle {
  readonly #parts: CycleParts;
  readonly #plan: Plan;
  readonly #into: Values;
  readonly #call: Call;
  readonly #unitCycles: UnitCycle[] = [];
  /** The units before this index have sent all their regular requests. */
  #current = 0;
  readonly #inFlight = new Set<Exchange>();
  #extra = extraRequests;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  readonly #done = Promise.withResolvers<void>();

  constructor(parts: CycleParts, plan: Plan, into: Values, call: Call) {
    this.#parts = parts;
    this.#plan = plan;
    this.#into = into;
    this.#call = call;
  }

  /**
   * Gives every point a value or a fault, once. Rejects with DISCONNECTED when the link goes, or with the signal's reason;
   * points that had nothing by then are left out.
   */
  async run(): Promise<void> {
    const { cause, signal } = this.#call;
    signal.throwIfAborted();
    const { clock, link, settings, silentUnits } = this.#parts;
    const into = this.#into;
    const now = clock.now();
    for (const { index, fault } of this.#plan.invalid) into.fault(index, fault);
    for (const plan of this.#plan.units) {
      plan.begin(now, link.generation);
      if (link.broadcasts && plan.unit === 0) plan.skip(broadcastRead, into);
      else if (cause !== 'test' && silentUnits.paused(plan.unit, now)) plan.skip(noResponse, into);
      else this.#unitCycles.push(new UnitCycle(plan, into, settings, now, this.#ended));
    }
    signal.addEventListener('abort', this.#abort);
    try {
      this.#pump();
      await this.#done.promise;
    } finally {
      this.#over = true;
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', this.#abort);
    }
    for (const plan of this.#plan.units) plan.end(into);
    this.#judgeUnits();
  }

  /** Ends the cycle now, whatever it is waiting for: `run` rejects with the reason. */
  cancel(reason: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.link.abandon(this.#inFlight);
    this.#done.reject(reason);
  }

  /** Sends as much as may be sent now; ends the cycle when nothing is left. */
  #pump(): void {
    const { link, pace } = this.#parts;
    if (!link.up) return this.#broken(disconnected);
    while (this.#inFlight.size < link.window) {
      const wait = pace.wait;
      if (wait > 0) return this.#later(wait);
      const request = this.#take();
      if (request === undefined) break;
      this.#inFlight.add(request);
      link.send(request);
      pace.used();
    }
    if (this.#inFlight.size > 0) return link.flush();
    const repeatAt = this.#unitCycles.reduce((least, unit) => Math.min(least, unit.repeatAt), Infinity);
    if (repeatAt === Infinity) this.#done.resolve();
    else this.#later(repeatAt - performance.now());
  }

  #take(): ReadRequest | undefined {
    for (; this.#current < this.#unitCycles.length; this.#current++) {
      const unit = this.#unitCycles[this.#current] as UnitCycle;
      const request = unit.take();
      if (request === undefined) continue;
      request.observer = unit;
      return request;
    }
    return this.#takeLater();
  }

  /** Repetitions and extra requests, which come after all units have been asked once. */
  #takeLater(): ReadRequest | undefined {
    for (const unit of this.#unitCycles) {
      let request = unit.take();
      if (request === undefined && this.#extra > 0) {
        request = unit.takeExtra();
        if (request !== undefined) this.#extra--;
      }
      if (request === undefined) continue;
      request.observer = unit;
      return request;
    }
    return undefined;
  }

  readonly #ended = (request: ReadRequest, fault: Fault | undefined): void => {
    this.#inFlight.delete(request);
    if (this.#over) return;
    this.#parts.pace.used();
    if (fault !== undefined && !isOfRequest(fault)) return this.#broken(fault);
    this.#pump();
  };

  /** The connection is gone. After a malformed reply, what was read before it still holds; otherwise nothing does. */
  #broken(fault: Fault): void {
    this.#over = true;
    if (fault.code === ErrorCode.DISCONNECTED) return this.#done.reject(fault);
    for (const unit of this.#unitCycles) unit.skip(disconnected);
    this.#done.resolve();
  }

  readonly #abort = (): void => {
    this.cancel(this.#call.signal.reason as Error);
  };

  #later(wait: number): void {
    this.#parts.link.flush();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#over) this.#pump();
    }, Math.ceil(wait));
  }

  #judgeUnits(): void {
    const { clock, link, log, silentUnits } = this.#parts;
    const now = clock.now();
    const heard = this.#unitCycles.some((unit) => unit.heard);
    for (const { heard: answered, silent, plan } of this.#unitCycles) {
      if (answered) silentUnits.answered(plan.unit);
      else if (silent) {
        const pause = silentUnits.stayedSilent(plan.unit, now, heard);
        if (pause > 0)
          log.debug(`Unit ${plan.unit} does not answer; it is asked again after ${pause / 1000} s.`);
      }
    }
    const alive = heard || this.#unitCycles.some((unit) => unit.gatewayHeard);
    if (!alive && this.#unitCycles.some((unit) => unit.silent))
      link.reconnect('no request of a whole cycle was answered');
  }
}
