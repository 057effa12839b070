import type { StatementSync } from 'node:sqlite';
import { backup, DatabaseSync } from 'node:sqlite';
import type { KeyvStorageAdapter, KeyvStorageCapability, KeyvStorageEntry } from 'keyv';
import { keyvStorageCapability } from 'keyv';

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

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const resultCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;

/**
 * A keyv adapter on the SQLite that is built into Node. The adapters that keyv keeps bring a native module of their own, which has to
 * be compiled where there is no prebuilt one, and write the entries of `setMany` one statement at a time.
 *
 * Every call is one transaction, on disk when it resolves: in the log beside the file at first and in the file itself a second later,
 * so that whoever loses the log, by copying the file alone for example, loses seconds and not all since the last start. Entries are iterated in ascending order of their keys. An entry's
 * `expires` is not looked at: the gateway stores nothing that expires, and keyv itself filters what has.
 */
export class SqliteAdapter implements Adapter {
  readonly capabilities: KeyvStorageCapability;
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  #checkpoint: NodeJS.Timeout | undefined;

  /** Opens or makes the file. Throws an error that says what to do when that is not possible; the file is then as it was. */
  constructor(file: string) {
    this.capabilities = keyvStorageCapability(this);
    this.#database = open(file);
    this.#select = this.#database.prepare('SELECT value FROM records WHERE key = ?');
    this.#insert = this.#database.prepare('INSERT OR REPLACE INTO records (key, value) VALUES (?, ?)');
    this.#delete = this.#database.prepare('DELETE FROM records WHERE key = ?');
  }

  async get(key: string): Promise<string | undefined> {
    return this.#read(key);
  }

  async getMany(keys: string[]): Promise<(string | undefined)[]> {
    return keys.map((key) => this.#read(key));
  }

  async has(key: string): Promise<boolean> {
    return this.#read(key) !== undefined;
  }

  async hasMany(keys: string[]): Promise<boolean[]> {
    return keys.map((key) => this.#read(key) !== undefined);
  }

  async set(key: string, value: unknown): Promise<boolean> {
    this.#insert.run(key, String(value));
    this.#changed();
    return true;
  }

  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    this.#transact(() => {
      for (const { key, value } of entries) this.#insert.run(key, String(value));
    });
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    const { changes } = this.#delete.run(key);
    this.#changed();
    return changes > 0;
  }

  async deleteMany(keys: string[]): Promise<boolean[]> {
    return this.#transact(() => keys.map((key) => this.#delete.run(key).changes > 0));
  }

  async clear(): Promise<void> {
    this.#database.exec('DELETE FROM records');
    this.#changed();
  }

  async *iterator(): AsyncGenerator<string[], void> {
    const rows = this.#database.prepare('SELECT key, value FROM records ORDER BY key').iterate();
    for (const row of rows) yield [String(row['key']), String(row['value'])];
  }

  /** Copies the database into a file, as it is when that ends. */
  async copyTo(file: string): Promise<void> {
    await backup(this.#database, file);
  }

  async disconnect(): Promise<void> {
    clearTimeout(this.#checkpoint);
    this.#database.close();
  }

  #read(key: string): string | undefined {
    const value = this.#select.get(key)?.['value'];
    return typeof value === 'string' ? value : undefined;
  }

  #changed(): void {
    this.#checkpoint ??= setTimeout(() => {
      this.#checkpoint = undefined;
      try {
        this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } catch {
        // A full disk: the log has everything until there is space again.
      }
    }, checkpointDelay).unref();
  }

  #transact<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      this.#changed();
      return result;
    } catch (error) {
      // A failed COMMIT, for example on a full disk, may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

function open(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 2000 });
    // One process alone may use the file: two gateways on one data folder would overwrite each other.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON',
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
