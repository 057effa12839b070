import { setTimeout as sleep } from 'node:timers/promises';
import { isFault, type Driver, type Fault, type Outcome, type Point } from '@tagway/sdk';

/** Reads once: values as they are, faults as "fault CODE". A read that throws gives the fault for every point. */
export async function readings(driver: Driver, points: readonly Point[]): Promise<(Outcome | string)[]> {
  try {
    const outcomes = await driver.read(points, new AbortController().signal);
    return outcomes.map((outcome) => (isFault(outcome) ? shown(outcome) : outcome));
  } catch (error) {
    if (isFault(error)) return points.map(() => shown(error));
    throw error;
  }
}

function shown(fault: Fault): string {
  return `fault ${fault.code}`;
}

/** Waits until the condition holds, for ten seconds at most. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (await condition()) return;
    await sleep(10);
  }
  throw new Error(`It did not come to this within ten seconds: ${what}.`);
}
