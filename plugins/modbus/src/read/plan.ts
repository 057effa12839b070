import { isFault, type Outcome, type Point } from '@tagway/sdk';
import { parseAddress, startOf } from '../address.ts';
import { byPlace, type Item, type PlanSettings } from './item.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { UnitPlan } from './unit-plan.ts';

/** How to read one array of points, and where the outcomes go. The driver keeps it as long as the array of points lives. */
export interface Plan {
  readonly outcomes: Outcome[];
  /** One plan per unit, ascending by unit number. */
  readonly units: readonly UnitPlan[];
  /** Holds a test read, which is sent even to a unit that is left alone because it stayed silent. */
  readonly raw: boolean;
}

/**
 * Compiles the plan of an array of points. A point with an invalid address gets its fault as outcome here, once.
 * `memoryOf` gives what is known of the refusals of a unit.
 */
export function compilePlan(
  points: readonly Point[],
  settings: PlanSettings,
  memoryOf: (unit: number) => RefusalMemory,
): Plan {
  const outcomes: Outcome[] = new Array<Outcome>(points.length).fill(0);
  const itemsByUnit = new Map<number, Item[]>();
  points.forEach((point, index) => {
    const address = parseAddress(point.address, point.type);
    if (isFault(address)) {
      outcomes[index] = address;
      return;
    }
    const start = startOf(address, settings.address_base);
    const item = { index, address, start, end: start + address.count, raw: point.raw === true };
    const items = itemsByUnit.get(address.unit);
    if (items === undefined) itemsByUnit.set(address.unit, [item]);
    else items.push(item);
  });
  const units = [...itemsByUnit]
    .sort(([left], [right]) => left - right)
    .map(([unit, items]) => new UnitPlan(unit, items.sort(byPlace), outcomes, settings, memoryOf(unit)));
  return { outcomes, units, raw: points.some((point) => point.raw === true) };
}
