import type { Driver, Fault, Write } from '@tagway/sdk';
import { callOf } from '@tagway/testkit';

/** Writes; entry `i` is the fault of write `i`, or undefined when it was confirmed. Throws unless each write has one result. */
export async function written(
  driver: Driver,
  writes: readonly Write[],
  signal?: AbortSignal,
): Promise<(Fault | undefined)[]> {
  const results = new Map<number, Fault | undefined>();
  const set = (index: number, fault: Fault | undefined): void => {
    if (results.has(index)) throw new Error(`Write ${index} has two results.`);
    results.set(index, fault);
  };
  await driver.write?.(
    writes,
    { done: (index) => set(index, undefined), fault: (index, fault) => set(index, fault) },
    callOf('demand', signal),
  );
  return writes.map((_, index) => {
    if (!results.has(index)) throw new Error(`Write ${index} of ${writes.length} has no result.`);
    return results.get(index);
  });
}
