import { isFault, type Fault } from '@tagway/sdk';
import type { RowKey } from './address.ts';
import { textOf } from './decode.ts';
import { manyRows, noRow } from './faults.ts';
import type { Syntax } from './names/smi.ts';
import type { Walk } from './walk.ts';

/** Milliseconds after which a table is looked through again for a row that it did not have. */
const pause = 10_000;
/** Most rows of a table that is looked through. */
export const mostRows = 20_000;

export function rowName({ column, value }: Pick<RowKey, 'column' | 'value'>): string {
  return `${column.toString('latin1')} ${value}`;
}

/** A row of a table, known by the value of one of its columns. Where it is may change. */
export class Row {
  readonly column: Buffer;
  readonly value: string;
  readonly syntax: Syntax | undefined;
  /** Grows when the row is somewhere else. */
  version = 0;
  /** Why its place is not known; undefined: it is. */
  fault: Fault | undefined = noRow;
  #index: Buffer = Buffer.alloc(0);
  #lookedAt = -Infinity;

  constructor({ column, value, syntax }: RowKey) {
    this.column = column;
    this.value = value;
    this.syntax = syntax;
  }

  /** An instance of a column in this row. */
  place(column: Buffer): Buffer {
    return Buffer.concat([column, this.#index]);
  }

  /** Whether the table is to be looked through for it now. */
  isDue(now: number): boolean {
    return this.fault !== undefined && now - this.#lookedAt >= pause;
  }

  found(indexes: readonly Buffer[], now: number): void {
    this.#lookedAt = now;
    const [index] = indexes;
    this.fault = index === undefined ? noRow : indexes.length > 1 ? manyRows : undefined;
    if (index === undefined || index.equals(this.#index)) return;
    this.#index = index;
    this.version++;
  }

  /** Something else is where it was. */
  moved(): void {
    this.fault = noRow;
    this.#lookedAt = -Infinity;
  }
}

/** The rows that the tags of a node are in. */
export class Rows {
  readonly #rows = new Map<string, Row>();
  /** Columns that are being looked through. */
  readonly #under = new Map<string, Promise<void>>();

  row(key: RowKey): Row {
    const name = rowName(key);
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const row = new Row(key);
    this.#rows.set(name, row);
    return row;
  }

  /** A new connection may be to an agent that has restarted, and its rows may be anywhere. */
  forget(): void {
    for (const row of this.#rows.values()) row.moved();
  }

  /** Finds the rows whose places are not known, with one walk through each of their columns. Rejects when the link goes. */
  async locate(rows: readonly Row[], walk: Walk, now: number): Promise<void> {
    const columns = new Map<string, Row>();
    for (const row of rows) if (row.isDue(now)) columns.set(row.column.toString('latin1'), row);
    await Promise.all(
      Array.from(columns, ([name, { column, syntax }]) => this.#look(name, column, syntax, walk, now)),
    );
  }

  async #look(
    name: string,
    column: Buffer,
    syntax: Syntax | undefined,
    walk: Walk,
    now: number,
  ): Promise<void> {
    const before = this.#under.get(name);
    if (before !== undefined) return before;
    const work = this.#lookThrough(column, syntax, walk, now);
    this.#under.set(name, work);
    try {
      await work;
    } finally {
      this.#under.delete(name);
    }
  }

  async #lookThrough(column: Buffer, syntax: Syntax | undefined, walk: Walk, now: number): Promise<void> {
    const wanted = new Map<string, { readonly row: Row; readonly indexes: Buffer[] }>();
    for (const row of this.#rows.values())
      if (row.fault !== undefined && row.column.equals(column)) wanted.set(row.value, { row, indexes: [] });
    const end = await walk.below(column, mostRows, (oid, value) => {
      const text = textOf(value, syntax);
      if (text !== undefined) wanted.get(text)?.indexes.push(Buffer.from(oid.subarray(column.length)));
    });
    for (const { row, indexes } of wanted.values()) {
      row.found(indexes, now);
      if (isFault(end) && indexes.length === 0) row.fault = end;
    }
  }
}
