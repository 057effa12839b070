import {
  Attribute,
  type DataType,
  isFault,
  type Call,
  type Driver,
  type Fault,
  type Value,
  type Write,
} from '@tagway/sdk';
import { callOf } from './readings.ts';

/** Writes from address, type and value. */
export function writesOf(...items: readonly (readonly [string, DataType, Value])[]): Write[] {
  return items.map(([address, type, value], index) => ({
    point: { name: `tag${index}`, address, type, attribute: Attribute.WRITE },
    value,
  }));
}

/**
 * Writes; entry `i` is the fault of write `i`, or undefined when it was confirmed. A write that rejects with a fault gives it to all that
 * have no result yet. Throws when a write has two results, or none.
 */
export async function write(
  driver: Driver,
  writes: readonly Write[],
  call: Call = callOf('demand'),
): Promise<(Fault | undefined)[]> {
  const results = new Map<number, Fault | undefined>();
  const set = (index: number, fault: Fault | undefined): void => {
    if (results.has(index)) throw new Error(`Write ${index} has two results.`);
    results.set(index, fault);
  };
  let rejection: Fault | undefined;
  try {
    await driver.write?.(writes, { done: (index) => set(index, undefined), fault: set }, call);
  } catch (error) {
    if (!isFault(error)) throw error;
    rejection = error;
  }
  return writes.map((_, index) => {
    if (results.has(index)) return results.get(index);
    if (rejection === undefined) throw new Error(`Write ${index} has no result.`);
    return rejection;
  });
}

/** As `write`, with the codes of faults in place of them. */
export async function written(
  driver: Driver,
  writes: readonly Write[],
  call?: Call,
): Promise<(number | undefined)[]> {
  return (await write(driver, writes, call)).map((fault) => fault?.code);
}
