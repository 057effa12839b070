import {
  isFault,
  type Call,
  type Driver,
  type Fault,
  type Point,
  type Value,
  type Values,
} from '@tagway/sdk';
import { callOf } from '@tagway/testkit';

/** What a point has after a reading: its value, or "fault CODE". */
export type Reading = Value | string;

/** Takes the values of one reading, and holds the driver to saying what each point has no more than once. */
export class ReadingLog implements Values {
  readonly readings = new Map<number, Reading>();
  /** Points of which the driver said more than one thing. */
  readonly repeated: number[] = [];

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
    this.#set(index, shown(fault));
  }

  stamp(index: number): void {
    throw new Error(`Modbus knows neither source time nor quality, but point ${index} was given one.`);
  }

  /** The readings of `count` points in order. Throws when a point has none, or more than one. */
  all(count: number): Reading[] {
    if (this.repeated.length > 0)
      throw new Error(`The driver set these points more than once: ${this.repeated.join(', ')}.`);
    return Array.from({ length: count }, (_, index) => {
      const reading = this.readings.get(index);
      if (reading === undefined) throw new Error(`The driver said nothing of point ${index} of ${count}.`);
      return reading;
    });
  }

  #set(index: number, reading: Reading): void {
    if (this.readings.has(index)) this.repeated.push(index);
    this.readings.set(index, reading);
  }
}

/** Reads once. A read that rejects with a fault gives it to every point, and is checked for points that were set twice. */
export async function readings(
  driver: Driver,
  points: readonly Point[],
  cause?: Call['cause'],
): Promise<Reading[]> {
  const log = new ReadingLog();
  try {
    await driver.read(points, log, callOf(cause));
  } catch (error) {
    if (!isFault(error)) throw error;
    log.all(0);
    return points.map(() => shown(error));
  }
  return log.all(points.length);
}

function shown(fault: Fault): string {
  return `fault ${fault.code}`;
}
