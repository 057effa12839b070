import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { codeOf, resultCodes, sqliteReason, StoreInUse } from './sqlite-errors.ts';

/**
 * The database of a data folder while its content is replaced: no other process can open it meanwhile, and a crash leaves the old content or
 * the new one.
 */
export class LockedDatabase implements Disposable {
  readonly #file: string;
  /** Undefined: the file is damaged, so that no other process can use it either. */
  #database: DatabaseSync | undefined;

  /** Opens and locks the file, which is made when it is missing. Throws `StoreInUse`. */
  constructor(file: string) {
    this.#file = file;
    this.#database = hold(file);
  }

  /** Copies what it holds into a file, which is there and empty. Returns false where there is nothing that could be copied. */
  copyTo(file: string): boolean {
    const table = this.#database?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'records'").get();
    if (table === undefined) return false;
    this.#database?.prepare('VACUUM INTO ?').run(file);
    return true;
  }

  /** Takes over the records of another database, in one transaction. */
  replaceBy(other: string): void {
    const database = (this.#database ??= this.#makeAnew());
    database.prepare('ATTACH ? AS other').run(other);
    try {
      const version = Number(database.prepare('PRAGMA other.user_version').get()?.['user_version']);
      database.exec(`
        BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS main.records;
        CREATE TABLE main.records (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO main.records SELECT key, value FROM other.records;
        PRAGMA main.user_version = ${version};
        COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    } finally {
      database.exec('DETACH other');
    }
  }

  [Symbol.dispose](): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #makeAnew(): DatabaseSync {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${this.#file}${suffix}`, { force: true });
    const made = hold(this.#file);
    if (made === undefined) throw new Error(`The database ${this.#file} cannot be made.`);
    return made;
  }
}

function hold(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 2000 });
    // The lock is kept until the file is closed. Without the log beside it, which SQLite deletes by its name, the file is all that there is.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; COMMIT');
    if (database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok') return database;
    database.close();
    return undefined;
  } catch (error) {
    database?.close();
    const code = codeOf(error);
    if (code === resultCodes.corrupt || code === resultCodes.notADatabase) return undefined;
    if (code === resultCodes.busy)
      throw new StoreInUse(
        `The database ${file} is in use by another gateway, or a backup is being restored there. Stop the gateway first.`,
        { cause: error },
      );
    throw new Error(`The database ${file} cannot be opened: ${sqliteReason(error)}.`, { cause: error });
  }
}
