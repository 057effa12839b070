import { ArrayParameter, Oid } from './array-parameter.ts';
import type { RowCursor } from './cursor.ts';
import { Kind } from './record.ts';
import { type ColumnSpec, type Rows, typeNames } from './rows.ts';

/** The table with a row for each value. The last columns are null where they do not apply. */
export const narrowColumns: readonly ColumnSpec[] = [
  { name: 'time', oid: Oid.timestamptz, isKey: true },
  { name: 'node', oid: Oid.text, isKey: true },
  { name: 'group', oid: Oid.text, isKey: true },
  { name: 'tag', oid: Oid.text, isKey: true },
  { name: 'seq', oid: Oid.int8, isKey: true },
  { name: 'float_value', oid: Oid.float8 },
  { name: 'int_value', oid: Oid.int8 },
  { name: 'uint_value', oid: Oid.numeric },
  { name: 'bool_value', oid: Oid.bool },
  { name: 'text_value', oid: Oid.text },
  { name: 'bytes_value', oid: Oid.bytea },
  { name: 'error', oid: Oid.int4 },
  { name: 'quality', oid: Oid.int8 },
];

/** In this order the key is an index of one tag over time, too. */
export const narrowKey = ['node', 'group', 'tag', 'time', 'seq'] as const;

/** Where the columns of values lie, in the order of `Kind`. */
const values = narrowColumns.slice(5, 12);

/** A column and the values in it. */
interface Filling extends ColumnSpec {
  readonly array: ArrayParameter;
}

/**
 * Rows for a table with a row for each value. What all rows of a sample have, its head, is sent once, and each row says which head it has:
 * that halves what is sent.
 */
export class NarrowRows implements Rows {
  readonly columns = narrowColumns;
  readonly needsAll = true;
  readonly left = 0;
  readonly #times = new ArrayParameter(Oid.timestamptz);
  readonly #nodes = new ArrayParameter(Oid.text);
  readonly #groups = new ArrayParameter(Oid.text);
  readonly #sequences = new ArrayParameter(Oid.int8);
  readonly #heads = new ArrayParameter(Oid.int4);
  readonly #tags = new ArrayParameter(Oid.text);
  readonly #values: readonly Filling[] = values.map((column) => ({
    ...column,
    array: new ArrayParameter(column.oid),
  }));
  readonly #qualities = new ArrayParameter(Oid.int8);
  readonly #all = [
    this.#times,
    this.#nodes,
    this.#groups,
    this.#sequences,
    this.#heads,
    this.#tags,
    ...this.#values.map(({ array }) => array),
    this.#qualities,
  ];
  readonly #ofDevice: boolean;
  /** Of the record at hand: which head its rows have. The first one is 1. */
  #shared = 0;

  /** `ofDevice`: rows have the time that the device gave, where it gave one. */
  constructor(ofDevice: boolean) {
    this.#ofDevice = ofDevice;
  }

  get count(): number {
    return this.#tags.count;
  }

  get parameters(): readonly Buffer[] {
    const arrays = this.#filled.map(({ array }) => array);
    if (this.#qualities.count > 0) arrays.push(this.#qualities);
    for (const array of arrays) array.fill(this.count);
    const head = [this.#times, this.#nodes, this.#groups, this.#sequences, this.#heads, this.#tags];
    return [...head, ...arrays].map(({ value }) => value);
  }

  get form(): string {
    const filled = this.#filled.map(({ name }) => name).join();
    return this.#qualities.count > 0 ? `${filled},quality` : filled;
  }

  insertInto(table: string): string {
    const filled = this.#filled;
    const hasQualities = this.#qualities.count > 0;
    const names = filled.map(({ name }) => name);
    const into = ['time', 'node', '"group"', 'tag', 'seq', ...names, 'quality'];
    const arrays = filled.map(({ oid }, at) => `$${at + 7}::${typeNames.get(oid)!}[]`);
    if (hasQualities) arrays.push(`$${filled.length + 7}::bigint[]`);
    const rows = ['head', 'tag', ...names, ...(hasQualities ? ['quality'] : [])];
    return `INSERT INTO ${table} (${into.join(', ')})
      SELECT ($1::timestamptz[])[head], ($2::text[])[head], ($3::text[])[head], tag, ($4::bigint[])[head],
        ${[...names, hasQualities ? 'coalesce(quality, 0)' : '0'].join(', ')}
      FROM unnest(${['$5::integer[]', '$6::text[]', ...arrays].join(', ')}) AS rows (${rows.join(', ')})
      ON CONFLICT DO NOTHING`;
  }

  clear(): void {
    for (const array of this.#all) array.clear();
  }

  accepts(): boolean {
    return true;
  }

  /** All columns are needed. */
  leaveOut(): void {}

  addRecord(cursor: RowCursor): void {
    if (!cursor.isEvents) {
      this.#addHead(cursor, 1);
      this.#shared = this.#times.count;
    }
    while (cursor.advance()) this.#add(cursor, cursor.isEvents);
  }

  addRow(cursor: RowCursor): void {
    this.#add(cursor, true);
  }

  get #filled(): readonly Filling[] {
    return this.#values.filter(({ array }) => array.count > 0 || this.count === 0);
  }

  /** Adds a head with the time whose bytes begin at a place. */
  #addHead(cursor: RowCursor, time: number): void {
    const { data } = cursor;
    this.#times.putEight(cursor.view, time);
    this.#nodes.put(data, cursor.node, cursor.nodeLength);
    this.#groups.put(data, cursor.group, cursor.groupLength);
    if (cursor.isEvents) this.#sequences.putInt64(cursor.sequence);
    else this.#sequences.putEight(cursor.view, 9);
  }

  #add(cursor: RowCursor, needsHead: boolean): void {
    const { data, kind } = cursor;
    const row = this.count;
    const isTimed = this.#ofDevice && cursor.time !== 0;
    if (needsHead || isTimed) this.#addHead(cursor, isTimed ? cursor.time : 1);
    this.#heads.putInt32(needsHead || isTimed ? this.#times.count : this.#shared);
    this.#tags.put(data, cursor.tag, cursor.tagLength);
    const { array } = this.#values[kind]!;
    array.fill(row);
    if (kind === Kind.UINT) array.putNumeric(data.readBigUInt64BE(cursor.value));
    else if (cursor.valueLength === 8) array.putEight(cursor.view, cursor.value);
    else array.put(data, cursor.value, cursor.valueLength);
    if (cursor.quality === 0) return;
    this.#qualities.fill(row);
    this.#qualities.putUInt32(cursor.quality);
  }
}
