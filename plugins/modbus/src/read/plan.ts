import { isFault, type Fault, type Point } from '@tagway/sdk';
import { byPlace, type RefusalMemory } from '@tagway/sdk/link';
import { orderOf, parseAddress, startOf, testOrderOf } from '../address.ts';
import type { Item, PlanSettings } from './item.ts';
import { UnitPlan } from './unit-plan.ts';

/** How to read one array of points. The driver keeps it as long as the array lives; that of a test read serves once. */
export interface Plan {
  /** Points whose address is invalid. */
  readonly invalid: readonly { readonly index: number; readonly fault: Fault }[];
  /** One plan per unit, ascending by unit number. */
  readonly units: readonly UnitPlan[];
}

/** Compiles the plan of an array of points. `memoryOf` gives what is known of the refusals of a unit. `isTest` leaves out all byte orders. */
export function compilePlan(
  points: readonly Point[],
  settings: PlanSettings,
  memoryOf: (unit: number) => RefusalMemory<Fault>,
  isTest = false,
): Plan {
  const invalid: { index: number; fault: Fault }[] = [];
  const itemsByUnit = new Map<number, Item[]>();
  points.forEach((point, index) => {
    const address = parseAddress(point.address, point.type);
    if (isFault(address)) {
      invalid.push({ index, fault: address });
      return;
    }
    const start = startOf(address, settings.address_base);
    const order = isTest ? testOrderOf(address) : orderOf(address, settings);
    const item = { index, address, area: address.area, start, end: start + address.count, order };
    const items = itemsByUnit.get(address.unit);
    if (items === undefined) itemsByUnit.set(address.unit, [item]);
    else items.push(item);
  });
  const units = [...itemsByUnit]
    .sort(([left], [right]) => left - right)
    .map(([unit, items]) => new UnitPlan(unit, items.sort(byPlace), settings.max_gap, memoryOf(unit)));
  return { invalid, units };
}
