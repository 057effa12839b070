import { isFault, type Call, type Driver, type Fault, type Point, type Value } from '@tagway/sdk';
import { callOf, read } from '@tagway/testkit';

/** What a point has after a reading: its value, or "fault CODE". */
export type Reading = Value | string;

export const shown = (outcome: Value | Fault): Reading =>
  isFault(outcome) ? `fault ${outcome.code}` : outcome;

/** Reads once. A read that rejects with a fault gives it to every point that has nothing yet. */
export async function readings(
  driver: Driver,
  points: readonly Point[],
  cause?: Call['cause'],
): Promise<Reading[]> {
  return (await read(driver, points, callOf(cause))).map(shown);
}
