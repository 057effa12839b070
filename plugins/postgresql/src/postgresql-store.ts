import type { ConnectionTest, Subscription } from '@tagway/sdk';
import {
  type Batch,
  type Loss,
  Refusal,
  sendHalved,
  type ShownMessage,
  type Store,
  Unavailable,
} from '@tagway/store';
import { RowCursor } from './cursor.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { shownRows } from './shown-rows.ts';
import type { Table } from './table.ts';
import type { Tables } from './tables.ts';

/** Rows of one statement, about: a record is not split. */
const rowsAtOnce = 10_000;

/** Milliseconds after which a table that has no place for some values is looked at again. */
const lookAgain = 60_000;

/** A row of a record, or, where it has no place, the whole of a record that makes one row. */
interface Unit {
  readonly data: Uint8Array;
  readonly at: number | undefined;
  readonly row: number;
}

/** How values go to a database. */
export interface PostgresqlStoreOptions {
  readonly database: DatabaseOptions;
  readonly tables: Tables;
  /** Rows have the time that the device gave, where it gave one. */
  readonly ofDevice: boolean;
  readonly now: () => number;
}

/** A PostgreSQL database as the store of an app. */
export class PostgresqlStore implements Store {
  readonly name: string;
  readonly #options: PostgresqlStoreOptions;
  readonly #cursor = new RowCursor();
  /** By the head of records. */
  readonly #tables = new Map<string, Table>();
  /** When each table was looked at. */
  readonly #looked = new WeakMap<Table, number>();
  #database: Database | undefined;

  constructor(options: PostgresqlStoreOptions) {
    const { host, port, database } = options.database;
    this.#options = options;
    this.name = `the database "${database}" at ${host}:${port}`;
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { tables } = this.#options;
    tables.forget();
    const database = await Database.open(this.#options.database, signal);
    this.#database = database;
    await this.#until(signal, async () => {
      const { shared } = tables;
      if (shared === undefined) return;
      await this.#prepare(shared, database);
      await this.#insert(shared, database);
    });
  }

  /** Tries what a node needs: a login, and a table that takes rows. What it makes for that is undone. */
  async tryOut({ step, signal }: Pick<ConnectionTest<unknown>, 'step' | 'signal'>): Promise<void> {
    const database = await Database.open(this.#options.database, signal, step);
    this.#database = database;
    await this.#until(signal, async () => {
      step('rights');
      await database.query('BEGIN');
      const { tables } = this.#options;
      const table = tables.shared ?? tables.of('connection test', 'test');
      await table.prepare(database);
      step('write');
      await this.#insert(table, database);
      await database.query('ROLLBACK');
    });
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<readonly Loss[]> {
    const database = this.#database;
    if (database?.isOpen !== true) throw new Unavailable('The server closed the connection.');
    const losses: Loss[] = [];
    /** The records whose rows each table has and the database has not. */
    const pending = new Map<Table, Uint8Array[]>();
    await this.#until(signal, async () => {
      for (const { data } of records) {
        const table = this.#tableOf(data);
        if (table === undefined) {
          losses.push({ count: 1, reason: 'a record is not of this version of the plugin.' });
          continue;
        }
        const held = pending.get(table) ?? [];
        pending.set(table, held);
        if (held.length > 0 && (table.rows.count >= rowsAtOnce || !table.rows.accepts(this.#cursor))) {
          await this.#flush(table, held, database, losses);
          held.length = 0;
          this.#cursor.open(data);
        }
        table.rows.addRecord(this.#cursor);
        held.push(data);
      }
      for (const [table, held] of pending) await this.#flush(table, held, database, losses);
    }).finally(() => {
      for (const table of pending.keys()) table.rows.clear();
      if (this.#options.tables.dropGone()) this.#tables.clear();
    });
    return losses;
  }

  shown(record: Uint8Array): ShownMessage {
    const shown = shownRows(record, this.#options.ofDevice);
    if (shown === undefined) return { topic: '', data: record };
    const { node, group, rows } = shown;
    return { topic: this.#options.tables.of(node, group).name, data: Buffer.from(rows) };
  }

  /** Groups that nothing is to be sent of any more leave nothing behind. */
  keep(groups: readonly Pick<Subscription, 'driver' | 'group'>[]): void {
    this.#tables.clear();
    this.#options.tables.keep(groups);
  }

  async disconnect(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    await database?.close();
  }

  /** Opens the cursor on a record and returns its table. */
  #tableOf(data: Uint8Array): Table | undefined {
    const cursor = this.#cursor;
    if (!cursor.open(data)) return undefined;
    const head = cursor.text(cursor.node - 2, cursor.nodeLength + cursor.groupLength + 4);
    let table = this.#tables.get(head);
    if (table === undefined) {
      const node = cursor.text(cursor.node, cursor.nodeLength);
      table = this.#options.tables.of(node, cursor.text(cursor.group, cursor.groupLength));
      this.#tables.set(head, table);
    }
    return table;
  }

  /** Does work that ends with the connection when the signal aborts. */
  async #until(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const abort = (): void => this.#database?.break();
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      await work();
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #prepare(table: Table, database: Database): Promise<void> {
    await table.prepare(database);
    this.#looked.set(table, this.#options.now());
  }

  /** Stores the rows of a table; what the server refuses of them is a loss. */
  async #flush(
    table: Table,
    records: readonly Uint8Array[],
    database: Database,
    losses: Loss[],
  ): Promise<void> {
    const looked = this.#looked.get(table) ?? 0;
    const isStale = table.misfits.length > 0 && this.#options.now() - looked > lookAgain;
    if (!table.isKnown || isStale) {
      await this.#prepare(table, database);
      // The rows were collected for other columns.
      this.#collect(table, this.#unitsOf(table, records));
    }
    if (table.rows.left > 0)
      losses.push({
        count: table.rows.left,
        reason: table.misfits.map(({ reason }) => reason).join(' '),
      });
    try {
      await this.#insert(table, database);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const send = (part: readonly Unit[]): Promise<void> => {
        this.#collect(table, part);
        return this.#insert(table, database);
      };
      await sendHalved(this.#unitsOf(table, records), send, (part, reason) =>
        losses.push({ count: part.length, reason: `${this.#describe(part[0]!)}: ${reason}` }),
      );
    }
    table.rows.clear();
  }

  /** Adds the rows at hand. */
  async #insert({ rows, statement }: Table, database: Database): Promise<void> {
    await database.insert(statement, rows.parameters);
  }

  #unitsOf(table: Table, records: readonly Uint8Array[]): Unit[] {
    const cursor = this.#cursor;
    const units: Unit[] = [];
    for (const data of records) {
      cursor.open(data);
      if (!table.rows.needsAll && !cursor.isEvents) units.push({ data, at: undefined, row: 0 });
      else while (cursor.advance()) units.push({ data, at: cursor.at, row: cursor.row });
    }
    return units;
  }

  #collect({ rows }: Table, units: readonly Unit[]): void {
    const cursor = this.#cursor;
    rows.clear();
    for (const { data, at, row } of units) {
      cursor.open(data);
      if (at === undefined) rows.addRecord(cursor);
      else {
        cursor.seek(at);
        cursor.row = row;
        rows.addRow(cursor);
      }
    }
  }

  /** Names a row that is lost. */
  #describe({ data, at }: Unit): string {
    const cursor = this.#cursor;
    cursor.open(data);
    const group = `the group ${cursor.text(cursor.group, cursor.groupLength)} of the node ${cursor.text(cursor.node, cursor.nodeLength)}`;
    const time = new Date(cursor.timeOf(false)).toISOString();
    if (at === undefined) return `the server refuses the sample of ${group} of ${time}`;
    cursor.seek(at);
    return `the server refuses the value of the tag ${cursor.text(cursor.tag, cursor.tagLength)} in ${group} of ${time}`;
  }
}
