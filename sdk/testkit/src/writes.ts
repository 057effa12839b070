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

/** Makes writes from address, type and value. */
export function writesOf(...items: readonly (readonly [string, DataType, Value])[]): Write[] {
  return items.map(([address, type, value], index) => ({
    point: { name: `tag${index}`, address, type, attribute: Attribute.WRITE },
    value,
  }));
}

/**
 * Writes; entry `i` is the fault of write `i`, or undefined when it was confirmed. When the call rejects with a fault, all writes without a
 * result get it. Throws when a write has two results, or none.
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

/** The same as `write`, with the codes of faults instead of the faults. */
export async function written(
  driver: Driver,
  writes: readonly Write[],
  call?: Call,
): Promise<(number | undefined)[]> {
  return (await write(driver, writes, call)).map((fault) => fault?.code);
}
