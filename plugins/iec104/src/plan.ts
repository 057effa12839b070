import type { Fault, Point } from '@tagway/sdk';
import { checkTag, objectOf } from './address.ts';
import type { Cache } from './cache.ts';

/** Where the points of a group lie in the cache. */
export interface Plan {
  /** By index of the point; -1 for a point whose address or type is none of this driver's. */
  readonly slots: Int32Array;
  /** Why those have no slot. */
  readonly fault: (index: number) => Fault;
}

export function compilePlan(points: readonly Point[], cache: Cache): Plan {
  const faults = new Map<number, Fault>();
  const slots = new Int32Array(points.length);
  for (const [index, point] of points.entries()) {
    const fault = checkTag(point);
    if (fault !== undefined) faults.set(index, fault);
    slots[index] = fault === undefined ? cache.claim(objectOf(point.address) as number) : -1;
  }
  return { slots, fault: (index) => faults.get(index) as Fault };
}
