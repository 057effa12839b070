import type { Point } from '@tagway/sdk';
import { parsePoints, type PointFault } from '@tagway/sdk/link';
import { checkTag, objectOf } from './address.ts';
import type { Cache } from './cache.ts';

/** Where the points of a group are in the cache. */
export interface ReadPlan {
  readonly points: readonly Point[];
  readonly invalid: readonly PointFault[];
  /** By index of the point; -1 for an invalid one. */
  readonly slots: Int32Array;
}

export function compilePlan(points: readonly Point[], cache: Cache): ReadPlan {
  const slots = new Int32Array(points.length).fill(-1);
  const { items, invalid } = parsePoints(
    points,
    (point, index) => checkTag(point) ?? { index, object: objectOf(point.address)! },
  );
  for (const { index, object } of items) slots[index] = cache.claim(object);
  return { points, invalid, slots };
}
