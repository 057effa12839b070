import { isFault, type Fault, type Point, type Values } from '@tagway/sdk';
import { parseAddress, type Item } from './address.ts';
import { decode } from './decode.ts';
import type { Enquiry } from './enquiry.ts';
import type { Datum, Meter, Meters } from './meter.ts';

interface Place {
  readonly index: number;
  readonly point: Point;
  readonly item: Item;
}

/** What is read of one item of a meter for the points of a group: several parts of a block take one reading. */
export class Reading {
  readonly enquiry: Enquiry;
  readonly #places: Place[] = [];

  constructor(enquiry: Enquiry) {
    this.enquiry = enquiry;
  }

  get datum(): Datum {
    return this.enquiry.datum;
  }

  add(place: Place): void {
    this.#places.push(place);
  }

  /** Sets its points to what the meter sent. */
  decode(into: Values): void {
    const { data, size } = this.enquiry;
    for (const { index, item, point } of this.#places) decode(item, point.type, data, size, index, into);
  }

  fault(fault: Fault, into: Values): void {
    for (const { index } of this.#places) into.fault(index, fault);
  }
}

/** What is read of one meter for a group. */
export interface MeterReadings {
  readonly meter: Meter;
  readonly readings: readonly Reading[];
}

/** How the points of a group are read. */
export interface Plan {
  readonly meters: readonly MeterReadings[];
  readonly invalid: readonly { readonly index: number; readonly fault: Fault }[];
}

/** `ownMeter` is the one of points that name none; `enquire` makes what asks for an item. */
export function planOf(
  points: readonly Point[],
  meters: Meters,
  ownMeter: string,
  enquire: (datum: Datum) => Enquiry,
): Plan {
  const byMeter = new Map<Meter, Map<Datum, Reading>>();
  const invalid: { index: number; fault: Fault }[] = [];
  for (const [index, point] of points.entries()) {
    const item = parseAddress(point.address, point.type);
    if (isFault(item)) {
      invalid.push({ index, fault: item });
      continue;
    }
    const meter = meters.meter(item.meter ?? ownMeter);
    const datum = meter.datum(item.identifier);
    const readings = byMeter.get(meter) ?? new Map<Datum, Reading>();
    byMeter.set(meter, readings);
    const reading = readings.get(datum) ?? new Reading(enquire(datum));
    readings.set(datum, reading);
    reading.add({ index, point, item });
  }
  return {
    meters: Array.from(byMeter, ([meter, readings]) => ({ meter, readings: [...readings.values()] })),
    invalid,
  };
}
