import type { DatabaseSync } from 'node:sqlite';

/** What a column of a table holds. `bytes` may be absent or NULL, and may be no valid text. */
type Kind = 'text' | 'integer' | 'number' | 'bytes';

/** A number stands for an absent column or NULL. */
type Column = Kind | { readonly kind: 'integer' | 'number'; readonly otherwise: number };

type Columns = Readonly<Record<string, Column>>;

interface Values {
  text: string;
  integer: number;
  number: number;
  bytes: Uint8Array | undefined;
}

export type Row<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Kind ? Values[C[Name]] : number;
};

/** The file is no database of the family. The message completes the sentence "The file … because". */
export class NotOfFamily extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Whether there is a table of this name. A view or a virtual table in its place is refused: reading it may run anything. */
export function hasTable(database: DatabaseSync, table: string): boolean {
  const found = database.prepare('SELECT type, sql FROM sqlite_master WHERE name = ?').get(table);
  if (found === undefined) return false;
  if (found['type'] !== 'table' || !/^CREATE TABLE\b/i.test(String(found['sql'])))
    throw new NotOfFamily(`"${table}" in it is not a plain table`);
  return true;
}

/** All rows of a table in the order in which they were written. Throws `NotOfFamily` for what is not of this shape. */
export function rowsOf<const C extends Columns>(database: DatabaseSync, table: string, columns: C): Row<C>[] {
  if (!hasTable(database, table)) throw new NotOfFamily(`it has no table "${table}"`);
  const present = new Map(
    database
      .prepare(`PRAGMA table_xinfo("${table}")`)
      .all()
      .map((column) => [String(column['name']).toLowerCase(), Number(column['hidden'])]),
  );
  const wanted = Object.entries(columns);
  for (const [name, column] of wanted) {
    const hidden = present.get(name);
    if (hidden === undefined && column !== 'bytes' && typeof column === 'string')
      throw new NotOfFamily(`its table "${table}" has no column "${name}"`);
    if (hidden) throw new NotOfFamily(`the column "${name}" of its table "${table}" is computed`);
  }
  const selected = wanted
    .filter(([name]) => present.has(name))
    .map(([name, column]) =>
      column === 'text' || column === 'bytes' ? `CAST("${name}" AS BLOB) AS "${name}"` : `"${name}"`,
    );
  const rows = database.prepare(`SELECT ${selected.join(', ')} FROM "${table}" ORDER BY rowid`).all();
  return rows.map(
    (row) =>
      Object.fromEntries(
        wanted.map(([name, column]) => [
          name,
          valueOf(row[name], column, `"${name}" of its table "${table}"`),
        ]),
      ) as Row<C>,
  );
}

function valueOf(value: unknown, column: Column, place: string): string | number | Uint8Array | undefined {
  if (typeof column === 'object') {
    return value === undefined || value === null ? column.otherwise : numberOf(value, column.kind, place);
  }
  if (column === 'integer' || column === 'number') return numberOf(value, column, place);
  const bytes = value instanceof Uint8Array ? value : undefined;
  if (column === 'bytes') return bytes;
  // An absent description is an empty one; an empty name is refused where it is looked at.
  return textOf(bytes ?? new Uint8Array()) ?? refuse(`a text in ${place} is not in UTF-8`);
}

function numberOf(value: unknown, kind: 'integer' | 'number', place: string): number {
  const isGood = typeof value === 'number' && (kind === 'number' || Number.isInteger(value));
  return isGood ? value : refuse(`a value in ${place} is no ${kind}`);
}

/** The text of bytes in UTF-8, or undefined for others. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(problem: string): never {
  throw new NotOfFamily(problem);
}
