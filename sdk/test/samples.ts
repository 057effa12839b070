import { Attribute, type DataType, type Layout, type Sample, Store } from '../src/index.ts';
import { layoutOf as layoutOfTags, type RunnerTag } from '../src/internal/index.ts';

export type Cell = number | bigint | string | Uint8Array;

export interface TestTag {
  readonly precision?: number;
  readonly decimal?: number;
  readonly onChange?: boolean;
}

export function tag(
  name: string,
  type: DataType,
  { precision = 0, decimal = 0, onChange = false }: TestTag = {},
): RunnerTag {
  const attribute = Attribute.READ | (onChange ? Attribute.SUBSCRIBE : 0);
  return { name, address: name, type, attribute, precision, decimal, bias: 0 };
}

export function layoutOf(tags: readonly RunnerTag[]): Layout {
  return layoutOfTags(1, { driver: 'plc "1"', group: 'Gruppe ä', interval: 100 }, tags);
}

/** When every sample of these tests was read. */
export const timestamp = 1_650_006_388_943;

/** Error codes by column or row. */
export type Faults = readonly (readonly [at: number, code: number])[];

/** A whole sample of the cells, one per column; undefined where there is a fault. */
export function sampleOf(
  layout: Layout,
  cells: readonly (Cell | undefined)[],
  faults: Faults = [],
  more: Partial<Sample> = {},
): Sample {
  const { columns } = layout;
  const count = (store: Store): number => columns.filter((column) => column.store === store).length;
  const numbers = new Float64Array(count(Store.NUMBER));
  const integers = new BigInt64Array(count(Store.INTEGER));
  const objects: Cell[] = new Array<string>(count(Store.OBJECT)).fill('');
  cells.forEach((cell, index) => {
    const place = columns[index]?.place ?? -1;
    if (typeof cell === 'number') numbers[place] = cell;
    else if (typeof cell === 'bigint') integers[place] = cell;
    else if (cell !== undefined) objects[place] = cell;
  });
  return finish(layout, { numbers, integers, objects: objects as (string | Uint8Array)[] }, faults, more);
}

/** An event sample of these rows: a column, and what it changed to. */
export function eventsOf(
  layout: Layout,
  rows: readonly (readonly [column: number, cell?: Cell | undefined])[],
  faults: Faults = [],
  more: Partial<Sample> = {},
): Sample {
  const cells = rows.map(([, cell]) => cell);
  return finish(
    layout,
    {
      rows: Uint32Array.from(rows, ([column]) => column),
      numbers: Float64Array.from(cells, (cell) => (typeof cell === 'number' ? cell : 0)),
      integers: BigInt64Array.from(cells, (cell) => (typeof cell === 'bigint' ? cell : 0n)),
      objects: cells.map((cell) => (typeof cell === 'object' || typeof cell === 'string' ? cell : '')),
    },
    faults,
    more,
  );
}

type Stores = Pick<Sample, 'rows' | 'numbers' | 'integers' | 'objects'>;

function finish(layout: Layout, stores: Stores, faults: Faults, more: Partial<Sample>): Sample {
  return { layout, timestamp, ...stores, faults: Int32Array.from(faults.flat()), ...more };
}
