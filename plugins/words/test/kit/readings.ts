import { setTimeout as sleep } from 'node:timers/promises';
import {
  isFault,
  type Call,
  type Driver,
  type Fault,
  type Point,
  type Value,
  type Values,
  type Write,
} from '@tagway/sdk';

/** What a point has after a reading: its value, or the code of its fault. */
export type Reading = Value | { readonly fault: number };

/** A call that nobody cancels, unless it is given a signal. */
export function callOf(cause: Call['cause'] = 'poll', signal = new AbortController().signal): Call {
  return { cause, signal };
}

/** Reads once. A read that rejects with a fault gives it to every point that has nothing yet. Throws when a point is told of twice, or not at all. */
export async function readings(
  driver: Driver,
  points: readonly Point[],
  call: Call = callOf(),
): Promise<Reading[]> {
  const told = new Map<number, Reading>();
  const set = (index: number, reading: Reading): void => {
    if (told.has(index)) throw new Error(`The driver set point ${index} more than once.`);
    told.set(index, reading);
  };
  const into: Values = {
    number: set,
    integer: set,
    text: set,
    bytes: set,
    fault: (index, { code }) => set(index, { fault: code }),
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
    const reading = told.get(index) ?? (rejection && { fault: rejection.code });
    if (reading === undefined) throw new Error(`The driver said nothing of point ${index}.`);
    return reading;
  });
}

/** Writes; entry `i` is the fault of write `i`, or undefined when it was confirmed. Throws unless each write has one result. */
export async function written(driver: Driver, writes: readonly Write[]): Promise<(number | undefined)[]> {
  const results = new Map<number, number | undefined>();
  const set = (index: number, code: number | undefined): void => {
    if (results.has(index)) throw new Error(`Write ${index} has two results.`);
    results.set(index, code);
  };
  const into = {
    done: (index: number) => set(index, undefined),
    fault: (index: number, { code }: Fault) => set(index, code),
  };
  let rejection: Fault | undefined;
  try {
    await driver.write?.(writes, into, callOf('demand'));
  } catch (error) {
    if (!isFault(error)) throw error;
    rejection = error;
  }
  return writes.map((_, index) => {
    if (!results.has(index) && rejection === undefined) throw new Error(`Write ${index} has no result.`);
    return results.has(index) ? results.get(index) : rejection?.code;
  });
}

/** Waits until the condition holds, for ten seconds at most. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await sleep(10))
    if (await condition()) return;
  throw new Error(`It did not come to this within ten seconds: ${what}.`);
}
