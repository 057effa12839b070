/** A counter or a gauge of a node, with its value now. */
export interface Meter {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly value: number;
  /** Of one group alone, by its number. */
  readonly group?: number;
}

/** Meters of the nodes of a runner on their way to the host: a thousand nodes are one array of numbers, not ten thousand objects. */
export interface MeterTable {
  readonly names: readonly Pick<Meter, 'name' | 'kind'>[];
  /** Rows of four numbers: see `meterRow`. */
  readonly rows: Float64Array;
}

/** Places in a row: number of the node, index of the name, number of the group or -1, value. */
export const meterRow = { node: 0, name: 1, group: 2, value: 3, length: 4 } as const;

/** Gathers a table. */
export class MeterRows {
  readonly #names = new Map<string, number>();
  readonly #table: Pick<Meter, 'name' | 'kind'>[] = [];
  readonly #rows: number[] = [];

  add(node: number, { name, kind, group = -1, value }: Meter): void {
    const key = kind + name;
    let index = this.#names.get(key);
    if (index === undefined) {
      index = this.#table.push({ name, kind }) - 1;
      this.#names.set(key, index);
    }
    this.#rows.push(node, index, group, value);
  }

  /** Undefined when there is nothing in it. */
  get table(): MeterTable | undefined {
    if (this.#rows.length === 0) return undefined;
    return { names: this.#table, rows: Float64Array.from(this.#rows) };
  }
}
