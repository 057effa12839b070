import { isFault, type Fault, type Point } from '@tagway/sdk';
import { parsePoints, type PointFault } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import type { Datum, Meter, Meters } from './meter.ts';
import type { Item, ReadRequest } from './read-request.ts';

/** What is read of one meter for a group. */
export interface MeterPlan {
  readonly meter: Meter;
  readonly requests: readonly ReadRequest[];
}

/** How the points of a group are read. */
export interface ReadPlan {
  readonly meters: readonly MeterPlan[];
  readonly known: Meters;
  readonly invalid: readonly PointFault[];
}

/** `ownMeter` is the one of points that name none; `make` makes the request for the items of one datum: several parts of a block take one. */
export function compilePlan(
  points: readonly Point[],
  meters: Meters,
  ownMeter: string,
  make: (datum: Datum, items: readonly Item[]) => ReadRequest,
): ReadPlan {
  const { items, invalid } = parsePoints(points, ({ address: text, type }, index): Item | Fault => {
    const address = parseAddress(text, type);
    return isFault(address) ? address : { index, type, address };
  });
  const byMeter = Map.groupBy(items, ({ address }) => meters.meter(address.meter ?? ownMeter));
  const plans = Array.from(byMeter, ([meter, members]) => {
    const byDatum = Map.groupBy(members, ({ address }) => meter.datum(address.identifier));
    return { meter, requests: Array.from(byDatum, ([datum, own]) => make(datum, own)) };
  });
  return { meters: plans, known: meters, invalid };
}
