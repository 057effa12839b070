import { ErrorCode, type Clock, type Fault, type Log } from '@tagway/sdk';
import type { Block } from './block.ts';
import { broadcastRead, disconnected, isOfRequest, noResponse } from '../faults.ts';
import type { Exchange, Link } from '../link/link.ts';
import type { Pace } from '../pace.ts';
import type { Plan } from './plan.ts';
import type { ModbusSettings } from '../settings.ts';
import { Turn } from './turn.ts';
import type { Units } from './units.ts';

/** Most requests of one cycle that look for what the device refuses, or try it again. */
const extraRequests = 32;

export interface CycleParts {
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: ModbusSettings;
  readonly units: Units;
  readonly pace: Pace;
}

/** One reading of one plan. A cycle is used once. */
export class Cycle {
  readonly #parts: CycleParts;
  readonly #plan: Plan;
  readonly #signal: AbortSignal;
  readonly #turns: Turn[] = [];
  /** Turns before this one had nothing more to ask when they were looked at last. */
  #turn = 0;
  readonly #inFlight = new Set<Exchange>();
  #extra = extraRequests;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  readonly #done = Promise.withResolvers<void>();

  constructor(parts: CycleParts, plan: Plan, signal: AbortSignal) {
    this.#parts = parts;
    this.#plan = plan;
    this.#signal = signal;
  }

  /** Reads everything into the plan's outcomes. Rejects with DISCONNECTED when the link goes, or with the signal's reason. */
  async run(): Promise<void> {
    this.#signal.throwIfAborted();
    const { clock, link, settings, units } = this.#parts;
    const now = clock.now();
    for (const lane of this.#plan.lanes) {
      lane.begin(now, link.generation);
      if (link.broadcasts && lane.unit === 0) lane.skip(broadcastRead);
      else if (!this.#plan.raw && units.paused(lane.unit, now)) lane.skip(noResponse);
      else this.#turns.push(new Turn(lane, settings, now, this.#ended));
    }
    this.#signal.addEventListener('abort', this.#abort);
    try {
      this.#pump();
      await this.#done.promise;
    } finally {
      this.#over = true;
      clearTimeout(this.#timer);
      this.#signal.removeEventListener('abort', this.#abort);
    }
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
      const block = this.#take();
      if (block === undefined) break;
      this.#inFlight.add(block);
      link.send(block);
      pace.used();
    }
    if (this.#inFlight.size > 0) return link.flush();
    const repeatAt = this.#turns.reduce((least, turn) => Math.min(least, turn.repeatAt), Infinity);
    if (repeatAt === Infinity) this.#done.resolve();
    else this.#later(repeatAt - performance.now());
  }

  #take(): Block | undefined {
    for (; this.#turn < this.#turns.length; this.#turn++) {
      const turn = this.#turns[this.#turn] as Turn;
      const block = turn.take();
      if (block === undefined) continue;
      block.observer = turn;
      return block;
    }
    return this.#takeLater();
  }

  /** Repeats and extra requests: what comes up only after everything was asked once. */
  #takeLater(): Block | undefined {
    for (const turn of this.#turns) {
      let block = turn.take();
      if (block === undefined && this.#extra > 0) {
        block = turn.takeExtra();
        if (block !== undefined) this.#extra--;
      }
      if (block === undefined) continue;
      block.observer = turn;
      return block;
    }
    return undefined;
  }

  readonly #ended = (block: Block, fault: Fault | undefined): void => {
    this.#inFlight.delete(block);
    if (this.#over) return;
    this.#parts.pace.used();
    if (fault !== undefined && !isOfRequest(fault)) return this.#broken(fault);
    this.#pump();
  };

  /** The connection is gone. After a malformed reply, what was read before it still holds; otherwise nothing does. */
  #broken(fault: Fault): void {
    this.#over = true;
    if (fault.code === ErrorCode.DISCONNECTED) return this.#done.reject(fault);
    for (const turn of this.#turns) turn.skip(disconnected);
    this.#done.resolve();
  }

  readonly #abort = (): void => {
    this.cancel(this.#signal.reason as Error);
  };

  #later(wait: number): void {
    this.#parts.link.flush();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#over) this.#pump();
    }, Math.ceil(wait));
  }

  #judgeUnits(): void {
    const { clock, link, log, units } = this.#parts;
    const now = clock.now();
    const heard = this.#turns.some((turn) => turn.heard);
    for (const { heard: answered, silent, lane } of this.#turns) {
      if (answered) units.answered(lane.unit);
      else if (silent) {
        const pause = units.stayedSilent(lane.unit, now, heard);
        if (pause > 0)
          log.notice(`Unit ${lane.unit} does not answer; it is asked again after ${pause / 1000} s.`);
      }
    }
    const alive = heard || this.#turns.some((turn) => turn.gatewayHeard);
    if (!alive && this.#turns.some((turn) => turn.silent))
      link.reconnect('no request of a whole cycle was answered');
  }
}
