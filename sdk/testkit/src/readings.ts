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

/**
 * Reads once: the value of each point, or its fault. A read that rejects with a fault gives it to every point that has nothing yet. Throws
 * when a point is told of twice, or not at all.
 */
export async function read(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<(Value | Fault)[]> {
  const told = new Map<number, Value | Fault>();
  const set = (index: number, outcome: Value | Fault): void => {
    if (told.has(index)) throw new Error(`The driver set point ${index} more than once.`);
    told.set(index, outcome);
  };
  const into: Values = {
    number: set,
    integer: set,
    text: set,
    // Copies, as the host does: the bytes are the driver's own.
    bytes: (index, value) => set(index, Uint8Array.from(value)),
    fault: set,
    stamp: (index) => {
      throw new Error(
        `The protocol knows neither source time nor quality, but point ${index} was given one.`,
      );
    },
  };
  let rejection: Fault | undefined;
  try {
    await driver.read(points, into, call);
  } catch (error) {
    if (!isFault(error)) throw error;
    rejection = error;
  }
  return points.map((_, index) => {
    const outcome = told.get(index) ?? rejection;
    if (outcome === undefined) throw new Error(`The driver said nothing of point ${index}.`);
    return outcome;
  });
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
