import {
  isFault,
  type Call,
  type Driver,
  type Fault,
  type Point,
  type Value,
  type Values,
} from '@tagway/sdk';

/** What a point has after a read: its value, or the code of its fault. */
export type Reading = Value | { readonly fault: number };

/** A call that is never aborted, unless a signal is given. */
export function callOf(cause: Call['cause'] = 'poll', signal = new AbortController().signal): Call {
  return { cause, signal };
}

/** Records the values and faults of one read, and checks that the driver sets each point exactly once. */
export class ValuesRecorder implements Values {
  readonly #outcomes = new Map<number, Value | Fault>();
  /** Points that the driver set more than once. */
  readonly #repeated: number[] = [];

  number(index: number, value: number): void {
    this.#set(index, value);
  }

  integer(index: number, value: bigint): void {
    this.#set(index, value);
  }

  text(index: number, value: string): void {
    this.#set(index, value);
  }

  /** Copies as the host does, because the driver may reuse its bytes. */
  bytes(index: number, value: Uint8Array): void {
    this.#set(index, Uint8Array.from(value));
  }

  fault(index: number, fault: Fault): void {
    this.#set(index, fault);
  }

  stamp(index: number): void {
    throw new Error(`The protocol knows neither source time nor quality, but point ${index} was given one.`);
  }

  /** The outcomes of `count` points in order, `rest` for those that were not set. Throws when one is missing or was set twice. */
  all(count: number, rest?: Fault): (Value | Fault)[] {
    if (this.#repeated.length > 0)
      throw new Error(`The driver set these points more than once: ${this.#repeated.join(', ')}.`);
    return Array.from({ length: count }, (_, index) => {
      const outcome = this.#outcomes.get(index) ?? rest;
      if (outcome === undefined) throw new Error(`The driver did not set point ${index} of ${count}.`);
      return outcome;
    });
  }

  #set(index: number, outcome: Value | Fault): void {
    if (this.#outcomes.has(index)) this.#repeated.push(index);
    this.#outcomes.set(index, outcome);
  }
}

/** Reads once: the value of each point, or its fault. When the read rejects with a fault, all points that are not set get it. */
export async function read(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<(Value | Fault)[]> {
  const log = new ValuesRecorder();
  let rejection: Fault | undefined;
  try {
    await driver.read(points, log, call);
  } catch (error) {
    if (!isFault(error)) throw error;
    rejection = error;
  }
  return log.all(points.length, rejection);
}

/** The same as `read`, with the codes of faults instead of the faults. */
export async function readings(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<Reading[]> {
  const outcomes = await read(driver, points, call);
  return outcomes.map((outcome) => (isFault(outcome) ? { fault: outcome.code } : outcome));
}
