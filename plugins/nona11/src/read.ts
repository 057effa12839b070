import { isFault, type Call, type Clock, type Fault, type Values } from '@tagway/sdk';
import { disconnected, noResponse } from '@tagway/sdk/link';
import { leftAlone, refusal } from './faults.ts';
import type { PlannedRequest, ReadPlan } from './plan.ts';
import type { Answer } from './protocol.ts';

export interface ReadPassParts {
  readonly plan: ReadPlan;
  readonly into: Values;
  readonly call: Call;
  readonly clock: Clock;
  readonly ask: (request: PlannedRequest, signal: AbortSignal) => Promise<Answer>;
}

/** One pass of reading the points of one group. */
export class ReadPass {
  readonly #parts: ReadPassParts;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /** Gives every point a value or a fault, once, over connection number `generation`. Rejects as `Driver.read` does. */
  async run(generation: number): Promise<void> {
    const { plan, into } = this.#parts;
    plan.findings.refusals.begin(this.#now, generation);
    for (const request of plan.requests) {
      const held = this.#heldBack(request);
      if (held === undefined) await this.#read(request);
      else request.fill(held, into);
    }
  }

  get #now(): number {
    return this.#parts.clock.monotonic();
  }

  /** Why not to ask now. */
  #heldBack(request: PlannedRequest): Fault | undefined {
    const { answering, refusals, silence } = this.#parts.plan.findings;
    const { site } = request;
    const reason = refusals.reasonOf(request);
    if (reason !== undefined && !refusals.tries(request, this.#now)) return reason;
    if (answering.size === 0 || answering.has(site)) return undefined;
    return silence.tries(site, this.#now) ? undefined : leftAlone;
  }

  async #read(request: PlannedRequest): Promise<void> {
    const { ask, call, into, plan } = this.#parts;
    const { answering, silence } = plan.findings;
    const { site } = request;
    try {
      this.#take(request, await ask(request, call.signal));
      answering.add(site);
      silence.answered(site);
    } catch (error) {
      if (!isFault(error) || error === disconnected) throw error;
      if (error === noResponse) {
        answering.delete(site);
        silence.stayedSilent(site, this.#now);
      }
      request.fill(error, into);
    }
  }

  #take(request: PlannedRequest, answer: Answer): void {
    const { into, plan } = this.#parts;
    const { refusals } = plan.findings;
    if (answer.refusal === undefined) {
      refusals.accept(request);
      return request.decode(answer.bytes, into);
    }
    const fault = refusal(answer.refusal);
    refusals.refuse(request, fault, this.#now);
    request.fill(fault, into);
  }
}
