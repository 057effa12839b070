import { Unavailable } from '@tagway/store';
import { Oid } from './array-parameter.ts';
import type { Database } from './database.ts';
import { quoted } from './names.ts';
import { type ColumnSpec, type Rows, typeNames } from './rows.ts';

/** Types of existing columns that take a value, by its own type. What does not fit into one of them is refused row by row. */
const numbers = ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'];
const texts = ['text', 'varchar', 'bpchar', 'citext'];
const takers: ReadonlyMap<Oid, readonly string[]> = new Map([
  [Oid.timestamptz, ['timestamptz']],
  [Oid.text, texts],
  [Oid.int8, numbers],
  [Oid.int4, numbers],
  [Oid.float8, numbers],
  [Oid.numeric, numbers],
  [Oid.bool, ['bool']],
  [Oid.bytea, ['bytea']],
]);

/** What may be done to tables. */
export interface TableRights {
  readonly create: boolean;
  readonly alter: boolean;
  readonly hypertable: boolean;
}

interface FoundColumn {
  readonly name: string;
  readonly type: string;
  /** It wants a value in every row. */
  readonly demands: boolean;
}

const columnsQuery = `
  SELECT a.attname AS name, t.typname AS type,
         a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS demands
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`;

/** Columns of each unique index that holds for all rows. */
const keysQuery = `
  SELECT array_agg(a.attname::text) AS columns
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
  WHERE i.indrelid = $1::regclass AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
  GROUP BY i.indexrelid`;

/** Columns that PostgreSQL takes in a table. */
const mostColumns = 1600;

/** Statements that are kept for each table. */
const mostStatements = 50;

const hasHypertables = `SELECT 1 FROM pg_proc WHERE proname = 'create_hypertable' LIMIT 1`;

/** What a table has no place for. */
export interface Misfit {
  readonly column: string;
  /** Completes "… because". */
  readonly reason: string;
}

/** A table of the database: looked at or made before the first rows of a connection, and again when rows have further columns. */
export class Table {
  /** As it stands in statements, with its schema. */
  readonly name: string;
  readonly rows: Rows;
  readonly #key: readonly string[];
  readonly #rights: TableRights;
  /** Columns that the table was found to have or to lack. */
  #known = new Set<string>();
  /** By the columns that they fill. */
  readonly #statements = new Map<string, string>();
  #misfits: readonly Misfit[] = [];

  constructor(schema: string, table: string, key: readonly string[], rows: Rows, rights: TableRights) {
    this.name = `${quoted(schema)}.${quoted(table)}`;
    this.rows = rows;
    this.#key = key;
    this.#rights = rights;
  }

  /** What it has no place for. */
  get misfits(): readonly Misfit[] {
    return this.#misfits;
  }

  /** There is a new connection: the table may be another one. */
  forget(): void {
    this.#known.clear();
  }

  /** Whether the rows at hand have columns that were not looked for yet. */
  get isKnown(): boolean {
    return this.rows.columns.every((column) => this.#known.has(keyOf(column)));
  }

  /** Looks whether the table can take the rows, and makes what may be made. Rejects when it cannot take any. */
  async prepare(database: Database): Promise<void> {
    this.rows.leaveOut(new Set());
    const { columns } = this.rows;
    let found = await this.#find(database);
    if (found === undefined) {
      await this.#create(database, columns);
      found = await this.#find(database);
    }
    if (found === undefined) throw new Unavailable(`The table ${this.name} could not be made.`);
    const there = new Set(found.map(({ name }) => name));
    const missing = columns.filter(({ name }) => !there.has(name));
    if (missing.length > 0 && this.#rights.alter) {
      for (const { name, oid } of missing.slice(0, Math.max(0, mostColumns - found.length)))
        await database.query(
          `ALTER TABLE ${this.name} ADD COLUMN IF NOT EXISTS ${quoted(name)} ${typeNames.get(oid)}`,
        );
      found = (await this.#find(database)) ?? [];
    }
    this.#check(columns, found);
    await this.#checkKey(database);
    this.#known = new Set(columns.map(keyOf));
  }

  /** Adds the rows at hand; one whose key is there already changes nothing. */
  get statement(): string {
    const { form } = this.rows;
    let statement = this.#statements.get(form);
    if (statement === undefined) {
      if (this.#statements.size >= mostStatements) this.#statements.clear();
      this.#statements.set(form, (statement = this.rows.insertInto(this.name)));
    }
    return statement;
  }

  async #find(database: Database): Promise<readonly FoundColumn[] | undefined> {
    const [there] = await database.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      this.name,
    ]);
    return there?.found === true ? database.query<FoundColumn>(columnsQuery, [this.name]) : undefined;
  }

  async #create(database: Database, columns: readonly ColumnSpec[]): Promise<void> {
    const declarations = columns
      .slice(0, mostColumns)
      .map(
        ({ name, oid, isKey }) => `${quoted(name)} ${typeNames.get(oid)}${isKey === true ? ' NOT NULL' : ''}`,
      );
    const text = `CREATE TABLE IF NOT EXISTS ${this.name} (${declarations.join(', ')}, PRIMARY KEY (${this.#key.map(quoted).join(', ')}))`;
    if (!this.#rights.create)
      throw new Unavailable(
        `There is no table ${this.name}. Set "create_tables" to true, or create it: ${text};`,
      );
    await database.query(text);
    if (!this.#rights.hypertable) return;
    const [extension] = await database.query(hasHypertables);
    if (extension !== undefined)
      await database.query(`SELECT create_hypertable($1::regclass, 'time', if_not_exists => true)`, [
        this.name,
      ]);
  }

  /** Leaves out columns that the table does not have or that are of another type, unless it has to have them. */
  #check(columns: readonly ColumnSpec[], found: readonly FoundColumn[]): void {
    const misfits: Misfit[] = [];
    for (const { name, oid, isKey } of columns) {
      const column = found.find((one) => one.name === name);
      if (column !== undefined && takers.get(oid)!.includes(column.type)) continue;
      const declared = `${quoted(name)} ${typeNames.get(oid)}`;
      const isFull = column === undefined && found.length >= mostColumns;
      const reason = isFull
        ? `the table ${this.name} has ${mostColumns} columns, and PostgreSQL takes no more. Make the group smaller.`
        : column === undefined
          ? `the table ${this.name} has no column ${quoted(name)}. Set "alter_tables" to true, or add it: ALTER TABLE ${this.name} ADD COLUMN ${declared};`
          : `the column ${quoted(name)} of the table ${this.name} is of the type ${column.type}, and the values are ${typeNames.get(oid)}. Change its type, or rename it.`;
      if (isKey === true || this.rows.needsAll)
        throw new Unavailable(`The rows cannot be stored, because ${reason}`);
      misfits.push({ column: name, reason });
    }
    for (const { name, demands } of found)
      if (demands && !columns.some((column) => column.name === name))
        throw new Unavailable(
          `The rows cannot be stored, because the column ${quoted(name)} of the table ${this.name} may not be null and has no default. Give it one.`,
        );
    this.#misfits = misfits;
    this.rows.leaveOut(new Set(misfits.map(({ column }) => column)));
  }

  /** Without the key a batch that comes twice would be stored twice. */
  async #checkKey(database: Database): Promise<void> {
    const keys = await database.query<{ columns: readonly string[] }>(keysQuery, [this.name]);
    const wanted = new Set(this.#key);
    if (
      keys.some(({ columns }) => columns.length === wanted.size && columns.every((name) => wanted.has(name)))
    )
      return;
    throw new Unavailable(
      `The table ${this.name} has no unique key of ${this.#key.join(', ')}, without which rows that are sent again would be stored twice. Add it: ALTER TABLE ${this.name} ADD UNIQUE (${this.#key.map(quoted).join(', ')});`,
    );
  }
}

function keyOf({ name, oid }: ColumnSpec): string {
  return `${oid} ${name}`;
}
