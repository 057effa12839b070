import {
  isFault,
  type Call,
  type Driver,
  type Fault,
  type Point,
  type Value,
  type Values,
} from '@tagway/sdk';

/** What a point has after a reading: its value, or the code of its fault. */
export type Reading = Value | { readonly fault: number };

/** A call that nobody cancels, unless it is given a signal. */
export function callOf(cause: Call['cause'] = 'poll', signal = new AbortController().signal): Call {
  return { cause, signal };
}

/** Takes the values and faults of one reading, and holds the driver to saying what each point has once. */
export class ReadingLog implements Values {
  readonly #told = new Map<number, Value | Fault>();
  /** Points of which the driver said more than one thing. */
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

  /** Copies, as the host does: the bytes are the driver's own. */
  bytes(index: number, value: Uint8Array): void {
    this.#set(index, Uint8Array.from(value));
  }

  fault(index: number, fault: Fault): void {
    this.#set(index, fault);
  }

  stamp(index: number): void {
    throw new Error(`The protocol knows neither source time nor quality, but point ${index} was given one.`);
  }

  /** What `count` points have, in order; `rest` is what those have that nothing was said of. Throws when a point has nothing, or two things. */
  all(count: number, rest?: Fault): (Value | Fault)[] {
    if (this.#repeated.length > 0)
      throw new Error(`The driver set these points more than once: ${this.#repeated.join(', ')}.`);
    return Array.from({ length: count }, (_, index) => {
      const outcome = this.#told.get(index) ?? rest;
      if (outcome === undefined) throw new Error(`The driver said nothing of point ${index} of ${count}.`);
      return outcome;
    });
  }

  #set(index: number, outcome: Value | Fault): void {
    if (this.#told.has(index)) this.#repeated.push(index);
    this.#told.set(index, outcome);
  }
}

/** Reads once: the value of each point, or its fault. A read that rejects with a fault gives it to every point that has nothing yet. */
export async function read(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<(Value | Fault)[]> {
  const log = new ReadingLog();
  let rejection: Fault | undefined;
  try {
    await driver.read(points, log, call);
  } catch (error) {
    if (!isFault(error)) throw error;
    rejection = error;
  }
  return log.all(points.length, rejection);
}

/** As `read`, with the codes of faults in place of them. */
export async function readings(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<Reading[]> {
  const outcomes = await read(driver, points, call);
  return outcomes.map((outcome) => (isFault(outcome) ? { fault: outcome.code } : outcome));
}
