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

/** The rows that are gathered, which nobody holds once the table was sent: a thousand nodes have forty thousand numbers a second. */
let scratch = new Float64Array(0);

/** Gathers a table. */
export class MeterRows {
  readonly #names: Readonly<Record<Meter['kind'], Map<string, number>>> = {
    counter: new Map(),
    gauge: new Map(),
  };
  readonly #table: Pick<Meter, 'name' | 'kind'>[] = [];
  #size = 0;

  add(node: number, { name, kind, group = -1, value }: Meter): void {
    const names = this.#names[kind];
    let index = names.get(name);
    if (index === undefined) {
      index = this.#table.push({ name, kind }) - 1;
      names.set(name, index);
    }
    const at = this.#size;
    this.#size += meterRow.length;
    if (this.#size > scratch.length) {
      const wider = new Float64Array(Math.max(64, 2 * scratch.length));
      wider.set(scratch);
      scratch = wider;
    }
    scratch[at + meterRow.node] = node;
    scratch[at + meterRow.name] = index;
    scratch[at + meterRow.group] = group;
    scratch[at + meterRow.value] = value;
  }

  /** Undefined when there is nothing in it. It is to be sent before the next one is gathered. */
  get table(): MeterTable | undefined {
    if (this.#size === 0) return undefined;
    return { names: this.#table, rows: scratch.subarray(0, this.#size) };
  }
}
