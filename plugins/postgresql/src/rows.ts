import { Oid } from './array-parameter.ts';
import type { RowCursor } from './cursor.ts';

/** Types as they are declared. */
export const typeNames: ReadonlyMap<Oid, string> = new Map([
  [Oid.timestamptz, 'timestamp with time zone'],
  [Oid.text, 'text'],
  [Oid.int8, 'bigint'],
  [Oid.int4, 'integer'],
  [Oid.float8, 'double precision'],
  [Oid.numeric, 'numeric(20)'],
  [Oid.bool, 'boolean'],
  [Oid.bytea, 'bytea'],
]);

/** A column that a statement fills. */
export interface ColumnSpec {
  readonly name: string;
  readonly oid: Oid;
  /** Part of the key, and never null. */
  readonly isKey?: boolean;
}

/** Rows for one table, as the arrays of a statement. They are filled again and again. */
export interface Rows {
  readonly columns: readonly ColumnSpec[];
  /** Whether a table that lacks one of the columns takes no rows at all. */
  readonly needsAll: boolean;
  readonly count: number;
  /** What differs in the statements for the same table: the columns in which the rows at hand have values. */
  readonly form: string;
  /** The parameters of that statement: arrays, each with its length before it. */
  readonly parameters: readonly Buffer[];
  /** Values since the last `clear` for which the table has no column. */
  readonly left: number;
  /** The statement that adds the rows at hand to a table; one whose key is there already changes nothing. */
  insertInto(table: string): string;
  clear(): void;
  /** Whether a record goes with the rows at hand. If not, these have to be cleared before it is added. */
  accepts(cursor: RowCursor): boolean;
  /** Leaves out values of these columns from now on, and of no others. */
  leaveOut(names: ReadonlySet<string>): void;
  /** Adds all rows of the record at which the cursor is. */
  addRecord(cursor: RowCursor): void;
  /** Adds the row at which the cursor is. */
  addRow(cursor: RowCursor): void;
}
