import { ErrorCode, type Call, type Clock, type Fault, type Values } from '@tagway/sdk';
import { abortable, disconnected, noResponse, type Bus, type SilenceClock } from '@tagway/sdk/link';
import { leftAlone } from './faults.ts';
import type { Meters } from './meter.ts';
import type { MeterPlan, ReadPlan } from './plan.ts';
import type { ReadRequest } from './read-request.ts';

export interface ReadParts {
  readonly bus: Bus<ReadRequest>;
  readonly clock: Clock;
  readonly silence: SilenceClock<string>;
  /** How often a request is sent again that got no answer. */
  readonly retries: number;
}

/** One pass of reading the points of one group: meter after meter, because the bus carries one request at a time. */
export class ReadPass {
  /** Whether no meter that was asked has answered. */
  isSilent = false;
  readonly #parts: ReadParts;
  readonly #into: Values;
  readonly #signal: AbortSignal;
  #answered = false;

  constructor(parts: ReadParts, into: Values, { signal }: Call) {
    this.#parts = parts;
    this.#into = into;
    this.#signal = signal;
  }

  /** Rejects with DISCONNECTED, or the reason of the signal. */
  async run({ meters, known }: ReadPlan): Promise<void> {
    const { clock, silence } = this.#parts;
    this.#signal.throwIfAborted();
    for (const plan of meters) {
      if (silence.tries(plan.meter.address, clock.monotonic())) await this.#readMeter(plan, known);
      else for (const request of plan.requests) request.fill(leftAlone, this.#into);
    }
    this.isSilent &&= !this.#answered;
  }

  /**
   * Reads the data of one meter. A silent meter gets two chances, with two requests, before it counts as silent, because some meters do
   * not answer requests for data that they do not have; one that was silent before gets one, with another request every time.
   */
  async #readMeter({ meter, requests }: MeterPlan, known: Meters): Promise<void> {
    const { clock, retries, silence } = this.#parts;
    const { refusals } = known;
    const { length } = requests;
    const rounds = meter.silentRounds;
    const chances = rounds > 0 ? 1 : 2;
    const ignored: ReadRequest[] = [];
    let hasAnswered = false;
    for (let step = 0; step < length; step++) {
      const request = requests[(step + rounds) % length]!;
      if (!hasAnswered && ignored.length >= chances) {
        request.fill(noResponse, this.#into);
        continue;
      }
      const refusal = refusals.reasonOf(request.datum);
      if (refusal !== undefined && !refusals.tries(request.datum, clock.monotonic())) {
        request.fill(refusal, this.#into);
        continue;
      }
      const fault = await this.ask(request, 1 + (rounds > 0 && !hasAnswered ? 0 : retries));
      if (fault === noResponse) ignored.push(request);
      else hasAnswered = true;
      this.#take(request, fault, known);
    }
    const now = clock.monotonic();
    if (hasAnswered) {
      this.#answered = true;
      meter.silentRounds = 0;
      silence.answered(meter.address);
      // The meter answers others, but not this: twice in a row counts as a refusal.
      for (const { datum } of ignored) if (++datum.ignored >= 2) refusals.refuse(datum, noResponse, now);
    } else if (ignored.length > 0) {
      this.isSilent = true;
      meter.silentRounds++;
      silence.stayedSilent(meter.address, now);
    }
  }

  #take(request: ReadRequest, fault: Fault | undefined, known: Meters): void {
    const { datum } = request;
    const { refusals } = known;
    if (fault === undefined || fault.code === ErrorCode.READ_FAILED) known.answered = datum;
    if (fault === undefined) {
      datum.ignored = 0;
      refusals.accept(datum);
      return request.decode(this.#into);
    }
    if (fault.code === ErrorCode.READ_FAILED) refusals.refuse(datum, fault, this.#parts.clock.monotonic());
    request.fill(fault, this.#into);
  }

  /** Resolves with the fault of the request, or nothing when its data is there. */
  async ask(request: ReadRequest, tries: number): Promise<Fault | undefined> {
    const { promise, resolve } = Promise.withResolvers<Fault | undefined>();
    if (!request.ask(tries, resolve)) throw disconnected;
    const fault = await abortable(promise, this.#signal, () => this.#parts.bus.withdraw(new Set([request])));
    if (fault === disconnected) throw disconnected;
    return fault;
  }
}
