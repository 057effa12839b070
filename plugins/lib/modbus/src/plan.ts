import { isFault, type Fault, type Point } from '@tagway/sdk';
import { parsePoints, type PointFault, RefusalMemory } from '@tagway/sdk/link';
import { orderOf, parseAddress, startOf, testOrderOf } from './address.ts';
import type { Item } from './decode.ts';
import type { PlanSettings } from './settings.ts';
import { UnitPlan } from './unit-plan.ts';

/** How to read one array of points. */
export interface ReadPlan {
  readonly invalid: readonly PointFault[];
  /** One plan per unit, ascending by unit number. */
  readonly units: readonly UnitPlan[];
}

/** Compiles the plan of an array of points. `memoryOf` gives what is known of the refusals of a unit. `isTest` leaves out all byte orders. */
export function compilePlan(
  points: readonly Point[],
  settings: PlanSettings,
  memoryOf: (unit: number) => RefusalMemory<Fault>,
  isTest = false,
): ReadPlan {
  const { items, invalid } = parsePoints(points, (point, index): Item | Fault => {
    const address = parseAddress(point.address, point.type);
    if (isFault(address)) return address;
    const start = startOf(address, settings.address_base);
    const order = isTest ? testOrderOf(address) : orderOf(address, settings);
    return { index, address, area: address.area, start, end: start + address.count, order };
  });
  const units = [...Map.groupBy(items, ({ address }) => address.unit)]
    .sort(([left], [right]) => left - right)
    .map(([unit, members]) => new UnitPlan(unit, members, settings.max_gap, memoryOf(unit)));
  return { invalid, units };
}

/** How many requests one reading of these points takes while nothing is refused. */
export function countRequests(points: readonly Point[], settings: PlanSettings): number {
  const { units } = compilePlan(points, settings, () => new RefusalMemory<Fault>());
  return units.reduce((sum, unit) => sum + unit.count(), 0);
}
