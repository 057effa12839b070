import { type Layout, type Sample, Store } from '@tagway/sdk';
import type { SampleData } from '@tagway/sdk/internal';

type Columns = Layout['columns'];

/** The columns of a group that the drivers of one runner read, as a layout of their own. */
export interface Projection {
  readonly layout: Layout;
  /** Of each layout of the group the columns; undefined where it does not have them all as the projection does. */
  readonly columnsOf: WeakMap<Layout, Uint32Array | undefined>;
}

let lastVersion = 0;

/** The columns of these names, in the layout's order. `before` goes on being used as long as it is the same. */
export function projectionOf(
  layout: Layout,
  names: ReadonlySet<string>,
  before: Projection | undefined,
): Projection {
  const picked = layout.columns.filter(({ name }) => names.has(name));
  if (before !== undefined && isSame(before.layout, layout, picked)) return before;
  const next: [number, number, number] = [0, 0, 0];
  const columns = picked.map((column) => ({ ...column, place: next[column.store]++ }));
  const { driver, group, interval } = layout;
  // Versions of projections are negative: no layout of a group has such a one.
  const projected: Layout = { version: --lastVersion, driver, group, interval, columns, writeOnly: [] };
  return { layout: projected, columnsOf: new WeakMap() };
}

/** What a sample of the group has for those who read it; undefined where it is of another layout. */
export function project(sample: Sample, group: number, projection: Projection): SampleData | undefined {
  const columns = columnsOf(sample.layout, projection);
  if (columns === undefined) return undefined;
  const { version } = projection.layout;
  const { timestamp } = sample;
  const rows = sample.rows === undefined ? undefined : rowsOf(sample.rows, columns);
  // Of events the row of the sample that each row is, otherwise the column.
  const from = rows?.from ?? columns;
  if (rows !== undefined && from.length === 0) return undefined;
  const { timestamps, qualities } = sample;
  return {
    group,
    version,
    timestamp,
    ...(rows !== undefined && { rows: rows.columns }),
    ...(rows === undefined ? valuesOf(sample, columns, projection.layout.columns) : eventsOf(sample, from)),
    ...faultsOf(sample, from),
    ...(timestamps && { timestamps: pick(timestamps, from, new Float64Array(from.length)) }),
    ...(qualities && { qualities: pick(qualities, from, new Uint32Array(from.length)) }),
  };
}

/** What apps get of a sample: of events those that are due, undefined where none is. */
export function forApps(sample: Sample): Sample | undefined {
  const { layout, timestamp, rows, due, timestamps, qualities } = sample;
  if (rows === undefined || due === undefined) return sample;
  const from = Uint32Array.from([...rows.keys()].filter((row) => due[row] === 1));
  if (from.length === 0) return undefined;
  return {
    layout,
    timestamp,
    rows: pick(rows, from, new Uint32Array(from.length)),
    ...eventsOf(sample, from),
    ...faultsOf(sample, from),
    ...(timestamps && { timestamps: pick(timestamps, from, new Float64Array(from.length)) }),
    ...(qualities && { qualities: pick(qualities, from, new Uint32Array(from.length)) }),
  };
}

function isSame(before: Layout, layout: Layout, picked: Columns): boolean {
  return (
    before.driver === layout.driver &&
    before.group === layout.group &&
    before.columns.length === picked.length &&
    picked.every((column, index) => isSameColumn(column, before.columns[index]!))
  );
}

function isSameColumn(one: Columns[number], other: Columns[number]): boolean {
  return one.name === other.name && one.valueType === other.valueType && one.store === other.store;
}

function columnsOf(
  layout: Layout,
  { layout: projected, columnsOf: known }: Projection,
): Uint32Array | undefined {
  if (known.has(layout)) return known.get(layout);
  const wanted = new Map(projected.columns.map((column) => [column.name, column]));
  const found: number[] = [];
  for (const [index, column] of layout.columns.entries()) {
    const target = wanted.get(column.name);
    if (target !== undefined && isSameColumn(column, target)) found.push(index);
  }
  const isWhole =
    found.length === projected.columns.length &&
    found.every((index, at) => layout.columns[index]!.name === projected.columns[at]!.name);
  const columns = isWhole ? Uint32Array.from(found) : undefined;
  known.set(layout, columns);
  return columns;
}

/** The rows of these columns. */
function rowsOf(
  rows: Uint32Array,
  columns: Uint32Array,
): { readonly from: Uint32Array; readonly columns: Uint32Array } {
  const from: number[] = [];
  const to: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    const at = placeOf(rows[row]!, columns);
    if (at < 0) continue;
    from.push(row);
    to.push(at);
  }
  return { from: Uint32Array.from(from), columns: Uint32Array.from(to) };
}

/** Where a column stands among these, which are ascending; -1 where it does not. */
function placeOf(column: number, columns: Uint32Array): number {
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (columns[middle]! < column) low = middle + 1;
    else high = middle;
  }
  return columns[low] === column ? low : -1;
}

/** What stands at these places. */
function pick<T extends Float64Array | Uint32Array>(source: T, from: Uint32Array, into: T): T {
  for (let index = 0; index < from.length; index++) into[index] = source[from[index]!]!;
  return into;
}

type Values = Pick<SampleData, 'numbers' | 'integers' | 'objects'>;

function valuesOf(sample: Sample, from: Uint32Array, columns: Columns): Values {
  const { columns: all } = sample.layout;
  const lengths: [number, number, number] = [0, 0, 0];
  for (const { store } of columns) lengths[store]++;
  const numbers = new Float64Array(lengths[Store.NUMBER]);
  const integers = new BigInt64Array(lengths[Store.INTEGER]);
  const objects = new Array<string | Uint8Array>(lengths[Store.OBJECT]);
  for (let index = 0; index < from.length; index++) {
    const { place } = columns[index]!;
    const { store, place: origin } = all[from[index]!]!;
    if (store === Store.NUMBER) numbers[place] = sample.numbers[origin]!;
    else if (store === Store.INTEGER) integers[place] = sample.integers[origin]!;
    else objects[place] = sample.objects[origin]!;
  }
  return { numbers, integers, objects };
}

function eventsOf({ numbers, integers, objects }: Sample, from: Uint32Array): Values {
  return {
    numbers: pick(numbers, from, new Float64Array(from.length)),
    integers: integers.length === 0 ? integers : BigInt64Array.from(from, (row) => integers[row]!),
    objects: objects.length === 0 ? [] : Array.from(from, (row) => objects[row]!),
  };
}

/** The faults of these columns or rows, which are ascending as the faults are. */
function faultsOf({ faults, reasons }: Sample, from: Uint32Array): Pick<SampleData, 'faults' | 'reasons'> {
  if (faults.length === 0) return { faults };
  const pairs: number[] = [];
  const indices: number[] = [];
  let next = 0;
  for (let index = 0; index < from.length; index++) {
    while (next < faults.length && faults[next]! < from[index]!) next += 2;
    if (faults[next] !== from[index]) continue;
    pairs.push(index, faults[next + 1]!);
    if (reasons !== undefined) indices.push(reasons.indices[next / 2] ?? 0);
  }
  return {
    faults: Int32Array.from(pairs),
    ...(reasons !== undefined &&
      pairs.length > 0 && { reasons: { texts: reasons.texts, indices: Uint16Array.from(indices) } }),
  };
}
