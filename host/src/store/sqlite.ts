import type { StatementSync } from 'node:sqlite';
import { backup, DatabaseSync } from 'node:sqlite';
import type { KeyvStorageAdapter, KeyvStorageCapability, KeyvStorageEntry } from 'keyv';
import { keyvStorageCapability } from 'keyv';
import { Pace } from '../core/pace.ts';

/** The part of keyv's contract that is not its event emitter, which an adapter without a connection has no use for. */
type Adapter = Pick<
  KeyvStorageAdapter,
  | 'capabilities'
  | 'get'
  | 'getMany'
  | 'has'
  | 'hasMany'
  | 'set'
  | 'setMany'
  | 'delete'
  | 'deleteMany'
  | 'clear'
  | 'iterator'
  | 'disconnect'
>;

/** Another process has the file open. */
export class StoreInUse extends Error {}

/**
 * Version of what the records mean; a gateway refuses what a newer one wrote. It is raised when a gateway before would read them wrongly:
 * 2 because one that knows no roles would make every user an admin, and send encrypted secrets to brokers.
 */
const format = 2;

/** Milliseconds after a change until the database itself has it, and not its log alone. */
const checkpointDelay = 1000;

/** Entries that are read in one go. */
const pageSize = 500;

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const resultCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;

/**
 * A keyv adapter on the SQLite that is built into Node. The adapters that keyv keeps bring a native module of their own, which has to
 * be compiled where there is no prebuilt one, and write the entries of `setMany` one statement at a time.
 *
 * Every call is one transaction, on disk when it resolves: in the log beside the file at first and in the file itself a second later,
 * so that whoever loses the log, by copying the file alone for example, loses seconds and not all since the last start. Calls take
 * turns, because a large transaction is written in pieces between which the event loop does other things. The loop does wait for the
 * disk, once for each transaction: SQLite forgets a transaction that it could not flush. Were the log flushed beside it, a failed flush
 * would leave SQLite with frames it believes in, which it copies into the database when it is closed, and then deletes the log.
 *
 * Entries are iterated in ascending order of their keys. An entry's `expires` is not looked at: the gateway stores nothing that expires,
 * and keyv itself filters what has.
 */
export class SqliteAdapter implements Adapter {
  readonly capabilities: KeyvStorageCapability;
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #page: StatementSync;
  #before: Promise<unknown> = Promise.resolve();
  #checkpoint: NodeJS.Timeout | undefined;

  /** Opens or makes the file. Throws an error that says what to do when that is not possible; the file is then as it was. */
  constructor(file: string) {
    this.capabilities = keyvStorageCapability(this);
    this.#database = open(file);
    this.#select = this.#database.prepare('SELECT value FROM records WHERE key = ?');
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO records (key, value) VALUES (?, ?)');
    this.#delete = this.#database.prepare('DELETE FROM records WHERE key = ?');
    this.#page = this.#database.prepare(
      `SELECT key, value FROM records WHERE key > ? ORDER BY key LIMIT ${pageSize}`,
    );
  }

  get(key: string): Promise<string | undefined> {
    return this.#alone(() => this.#read(key));
  }

  getMany(keys: string[]): Promise<(string | undefined)[]> {
    return this.#alone(() => keys.map((key) => this.#read(key)));
  }

  async has(key: string): Promise<boolean> {
    return (await this.get(key)) !== undefined;
  }

  async hasMany(keys: string[]): Promise<boolean[]> {
    return (await this.getMany(keys)).map((value) => value !== undefined);
  }

  async set(key: string, value: unknown): Promise<boolean> {
    await this.apply([[key, String(value)]]);
    return true;
  }

  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    await this.apply(entries.map(({ key, value }) => [key, String(value)]));
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    return (await this.deleteMany([key]))[0] === true;
  }

  async deleteMany(keys: string[]): Promise<boolean[]> {
    const found: boolean[] = [];
    await this.apply([], keys, (isThere) => found.push(isThere));
    return found;
  }

  async clear(): Promise<void> {
    await this.#alone(() => {
      this.#database.exec('DELETE FROM records');
      this.#changed();
    });
  }

  /** Reads page by page: whoever stops early leaves no statement open, and sees nothing of a transaction that is not committed. */
  async *iterator(): AsyncGenerator<string[], void> {
    let last = '';
    for (;;) {
      const rows = await this.#alone(() => this.#page.all(last));
      for (const row of rows) yield [(last = String(row['key'])), String(row['value'])];
      if (rows.length < pageSize) return;
    }
  }

  /**
   * Sets and deletes records in one transaction. Both are gone through in pieces while others have their turns. `deleted` is told of each
   * record to delete whether it was there.
   */
  apply(
    entries: Iterable<readonly [key: string, value: string]>,
    keys: Iterable<string> = [],
    deleted?: (isThere: boolean) => void,
  ): Promise<void> {
    return this.#alone(async () => {
      const pace = new Pace();
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        for (const [key, value] of entries) {
          this.#insert.run(key, value);
          if (pace.isDue) await pace.rest();
        }
        for (const key of keys) {
          const { changes } = this.#delete.run(key);
          deleted?.(changes > 0);
          if (pace.isDue) await pace.rest();
        }
        // What is long by itself when there is much to write.
        if (pace.hasRested) await pace.rest();
        this.#database.exec('COMMIT');
      } catch (error) {
        // A failed COMMIT, for example on a full disk, may have ended the transaction already.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
      this.#changed();
    });
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

  #read(key: string): string | undefined {
    const value = this.#select.get(key)?.['value'];
    return typeof value === 'string' ? value : undefined;
  }

  /** Does something when what was asked for before is done: a transaction stays open while others have their turns. */
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
    // `SqliteAdapter` says so, not at the end of a transaction that somebody waits for.
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
    if (isNew || codeOf(error as Error) !== resultCodes.full) throw error;
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
      {
        cause: error,
      },
    );
  }
  return new Error(`The database ${file} cannot be opened: ${sqliteReason(error)}.`, { cause: error });
}

/** Why SQLite refused something, without a full stop; what any other error says of itself. */
export function sqliteReason(error: Error): string {
  const code = codeOf(error);
  if (code === resultCodes.full)
    return 'the disk with the data folder is full. Free space there and try again';
  if (code === resultCodes.readOnly) return 'the user that runs the gateway may not write it';
  return error.message;
}

/** The primary code of SQLite, which is the low byte of an extended one. */
function codeOf(error: Error): number | undefined {
  return 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

function damaged(file: string, reason: string): Error {
  return new Error(
    `The database ${file} is damaged (${reason}). It was left as it is. ` +
      'Bring back a backup with "tagway restore FILE"; to begin with an empty gateway, move it away and start once with --reset-password.',
  );
}
