import { formatReference, type Inputs, type Reference } from '@tagway/sdk';
import type { Row } from '../table/row.ts';
import type { Point } from './point.ts';
import { type MapSettings, Unit } from './unit.ts';

/** Everything that masters can ask for. */
export class Directory {
  readonly units = new Map<number, Unit>();
  readonly size: number;
  /** By the text of the reference. */
  readonly #points = new Map<string, Point[]>();
  /** By input, for these references. */
  #byInput: (readonly Point[])[] = [];
  #references: readonly Reference[] | undefined;

  constructor(rows: readonly Row[], settings: MapSettings) {
    this.size = rows.length;
    for (const row of rows) {
      let unit = this.units.get(row.unit);
      if (unit === undefined) this.units.set(row.unit, (unit = new Unit(settings)));
      const point = unit.add(row);
      const key = formatReference(row.reference);
      const points = this.#points.get(key);
      if (points === undefined) this.#points.set(key, [point]);
      else points.push(point);
    }
  }

  /** Takes the inputs that are there anew; all of them where they are others than before. */
  take(inputs: Inputs): void {
    const { fresh, references } = inputs;
    const isOther = references !== this.#references;
    if (isOther) {
      this.#references = references;
      this.#byInput = references.map((reference) => this.#points.get(formatReference(reference)) ?? []);
    }
    for (const input of isOther ? this.#byInput.keys() : fresh)
      for (const point of this.#byInput[input]!) point.take(inputs, input);
  }
}
