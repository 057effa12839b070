import { ErrorCode, type Call, type Clock, type Fault, type Values } from '@tagway/sdk';
import { disconnected, noResponse, type Bus, type SilenceClock } from '@tagway/sdk/link';
import type { Enquiry } from './enquiry.ts';
import { leftAlone } from './faults.ts';
import type { MeterReadings, Plan, Reading } from './plan.ts';

export interface CycleParts {
  readonly bus: Bus<Enquiry>;
  readonly clock: Clock;
  readonly silence: SilenceClock<string>;
  /** How often a request is sent again that got no answer. */
  readonly retries: number;
}

/** One reading of a group: meter after meter, item after item, because the bus carries one request at a time. */
export class Cycle {
  /** Whether no meter that was asked has answered. */
  isSilent = false;
  readonly #parts: CycleParts;
  readonly #into: Values;
  readonly #signal: AbortSignal;
  #answered = false;
  #current: Enquiry | undefined;
  #reject: (reason: Error) => void = () => undefined;

  constructor(parts: CycleParts, into: Values, { signal }: Call) {
    this.#parts = parts;
    this.#into = into;
    this.#signal = signal;
  }

  /** Rejects with DISCONNECTED, or the reason of the signal. */
  async run({ meters, invalid }: Plan): Promise<void> {
    const { clock, silence } = this.#parts;
    for (const { index, fault } of invalid) this.#into.fault(index, fault);
    const signal = this.#signal;
    signal.throwIfAborted();
    const abort = (): void => this.#abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (const part of meters) {
        if (silence.tries(part.meter.address, clock.monotonic())) await this.#readMeter(part);
        else for (const reading of part.readings) reading.fault(leftAlone, this.#into);
      }
    } finally {
      signal.removeEventListener('abort', abort);
    }
    this.isSilent &&= !this.#answered;
  }

  /**
   * Reads the items of one meter. One that is silent gets two chances, with two items, before it counts as silent, because some meters do
   * not answer requests for items that they do not have; one that was silent before gets one, with another item every time.
   */
  async #readMeter({ meter, readings }: MeterReadings): Promise<void> {
    const { clock, retries, silence } = this.#parts;
    const { length } = readings;
    const rounds = meter.silentRounds;
    const chances = rounds > 0 ? 1 : 2;
    const ignored: Reading[] = [];
    let hasAnswered = false;
    for (let step = 0; step < length; step++) {
      const reading = readings[(step + rounds) % length] as Reading;
      if (!hasAnswered && ignored.length >= chances) {
        reading.fault(noResponse, this.#into);
        continue;
      }
      const held = reading.datum.heldBack(clock.monotonic());
      if (held !== undefined) {
        reading.fault(held, this.#into);
        continue;
      }
      const fault = await this.#ask(reading.enquiry, 1 + (rounds > 0 && !hasAnswered ? 0 : retries));
      if (fault === noResponse) ignored.push(reading);
      else hasAnswered = true;
      this.#take(reading, fault);
    }
    const now = clock.monotonic();
    if (hasAnswered) {
      this.#answered = true;
      meter.silentRounds = 0;
      silence.answered(meter.address);
      for (const { datum } of ignored) datum.ignored(noResponse, now);
    } else if (ignored.length > 0) {
      this.isSilent = true;
      meter.silentRounds++;
      silence.stayedSilent(meter.address, now);
    }
  }

  #take(reading: Reading, fault: Fault | undefined): void {
    const { datum } = reading;
    if (fault === undefined) {
      datum.answered();
      return reading.decode(this.#into);
    }
    if (fault.code === ErrorCode.READ_FAILED) datum.refused(fault, this.#parts.clock.monotonic());
    reading.fault(fault, this.#into);
  }

  /** Resolves with the fault of the item, or nothing when its data is there. */
  async #ask(enquiry: Enquiry, tries: number): Promise<Fault | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Fault | undefined>();
    this.#reject = reject;
    this.#current = enquiry;
    if (!enquiry.ask(tries, resolve)) throw disconnected;
    const fault = await promise;
    this.#current = undefined;
    if (fault === disconnected) throw disconnected;
    return fault;
  }

  #abort(): void {
    if (this.#current !== undefined) this.#parts.bus.withdraw(new Set([this.#current]));
    this.#reject(this.#signal.reason as Error);
  }
}
