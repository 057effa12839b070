import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { type KeyvStorageAdapter, type KeyvStorageEntry, keyvStorageCapability } from 'keyv';
import { codeOf, resultCodes, sqliteReason, StoreInUse } from './sqlite-errors.ts';

/** What the gateway has Keyv ask of an adapter. */
type Adapter = Pick<
  KeyvStorageAdapter,
  'capabilities' | 'has' | 'setMany' | 'deleteMany' | 'iterator' | 'disconnect'
>;

/**
 * Version of what the records mean; a gateway refuses what a newer one wrote. It is raised when a gateway before would read them wrongly:
 * 2 because one that knows no roles would make every user an admin, and send encrypted secrets to brokers.
 */
const format = 2;

/** Milliseconds after a change until the database itself has it, and not its log alone. */
const checkpointDelay = 1000;

/** Entries that are read in one go. */
const pageSize = 500;

/**
 * A storage adapter for Keyv on the SQLite that is built into Node. The adapters that Keyv keeps bring a native module of their own, which has
 * to be compiled where there is no prebuilt one, and write the entries of `setMany` one statement at a time.
 *
 * What changes is written in `transaction`, and is on disk when that resolves: in the log beside the file at first and in the file itself a second
 * later, so that without the log, for example in a copy of the file alone, seconds are lost and not all since the last start. Transactions and
 * reads come one after the other, because a large transaction is written in pieces between which the event loop does other things. The loop does wait for the
 * disk, once for each transaction: SQLite forgets a transaction that it could not flush. Were the log flushed beside it, a failed flush
 * would leave SQLite with frames it believes in, which it copies into the database when it is closed, and then deletes the log.
 *
 * Entries are iterated in ascending order of their keys. Nothing that the gateway stores expires, so `expires` is not stored.
 */
export class SqliteAdapter implements Adapter {
  readonly capabilities = keyvStorageCapability(this);
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #page: StatementSync;
  #before: Promise<unknown> = Promise.resolve();
  #checkpoint: NodeJS.Timeout | undefined;

  /** Opens or makes the file. Throws an error that says what to do when that is not possible; the file is then as it was. */
  constructor(file: string) {
    this.#database = open(file);
    this.#select = this.#database.prepare('SELECT 1 FROM records WHERE key = ?');
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO records (key, value) VALUES (?, ?)');
    this.#delete = this.#database.prepare('DELETE FROM records WHERE key = ?');
    this.#page = this.#database.prepare(
      `SELECT key, value FROM records WHERE key > ? ORDER BY key LIMIT ${pageSize}`,
    );
  }

  /** Makes what `work` sets and deletes one transaction. When `work` rejects, or the transaction cannot be written, nothing has changed. */
  transaction(work: () => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        await work();
        this.#database.exec('COMMIT');
      } catch (error) {
        // A failed COMMIT, for example on a full disk, may have ended the transaction already.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
      this.#changed();
    });
  }

  /** To be called within a transaction. */
  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    return entries.map(({ key, value }) => this.#insert.run(key, String(value)).changes > 0);
  }

  /** To be called within a transaction. */
  async deleteMany(keys: string[]): Promise<boolean[]> {
    return keys.map((key) => this.#delete.run(key).changes > 0);
  }

  has(key: string): Promise<boolean> {
    return this.#alone(() => this.#select.get(key) !== undefined);
  }

  /** Reads page by page: a loop that stops early leaves no statement open, and no uncommitted transaction is seen. */
  async *iterator(): AsyncGenerator<string[], void> {
    let last = '';
    for (;;) {
      const rows = await this.#alone(() => this.#page.all(last));
      for (const row of rows) yield [(last = String(row['key'])), String(row['value'])];
      if (rows.length < pageSize) return;
    }
  }

  /** Copies the database into a file, as it is when that ends. */
  async copyTo(file: string): Promise<void> {
    await this.#alone(() => backup(this.#database, file));
  }

  async disconnect(): Promise<void> {
    await this.#before;
    clearTimeout(this.#checkpoint);
    this.#database.close();
  }

  /** Does `work` after all that was asked for before: a transaction is open while other code runs. */
  #alone<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#before.then(work);
    this.#before = result.catch(() => undefined);
    return result;
  }

  #changed(): void {
    this.#checkpoint ??= setTimeout(() => {
      this.#checkpoint = undefined;
      // A full disk: the log has everything until there is space again.
      this.#alone(() => this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')).catch(() => undefined);
    }, checkpointDelay).unref();
  }
}

function open(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 2000 });
    // One process alone may use the file: two gateways on one data folder would overwrite each other. The log is copied when
    // `SqliteAdapter` asks for it, not at the end of a transaction, for which a request waits.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ' +
        'PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON',
    );
    const problem = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (problem !== 'ok') throw damaged(file, String(problem).replaceAll('\n', ' '));
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > format) {
      throw new Error(
        `The database ${file} was written by a newer version of Tagway. Start that version, or use another data folder.`,
      );
    }
    if (version < format) stamp(database, version === 0);
    return database;
  } catch (error) {
    database?.close();
    throw explained(file, error);
  }
}

/** Makes the table of a new database, and marks one of before as one of this version. */
function stamp(database: DatabaseSync, isNew: boolean): void {
  try {
    database.exec(`
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      PRAGMA user_version = ${format};
      COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    // A database that is there is opened also on a full disk; a later start marks it.
    if (isNew || codeOf(error) !== resultCodes.full) throw error;
  }
}

function explained(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === resultCodes.corrupt || code === resultCodes.notADatabase) return damaged(file, error.message);
  if (code === resultCodes.busy) {
    return new StoreInUse(
      `The database ${file} is in use by another gateway. Stop that one, or use another data folder.`,
      { cause: error },
    );
  }
  return new Error(`The database ${file} cannot be opened: ${sqliteReason(error)}.`, { cause: error });
}

function damaged(file: string, reason: string): Error {
  return new Error(
    `The database ${file} is damaged (${reason}). It was left as it is. ` +
      'Bring back a backup with "tagway restore FILE"; to begin with an empty gateway, move it away and start once with --reset-password.',
  );
}
