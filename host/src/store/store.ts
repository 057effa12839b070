import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import { Keyv } from 'keyv';
import type { KeyvSerializationAdapter, KeyvStorageAdapter } from 'keyv';
import { Pace } from '../core/pace.ts';
import type { Store, StoreChanges } from '../core/ports.ts';
import { SqliteAdapter, sqliteReason } from './sqlite.ts';

export { checkNotLost, isLogLost } from './lost.ts';
export { SnapshotFolder } from './snapshot-folder.ts';
export { StoreInUse } from './sqlite.ts';

/** The embedded store of one gateway, in a file. Throws an error that says what to do when the file cannot be used. */
export function openSqliteStore(file: string): SqliteStore {
  return new SqliteStore(new SqliteAdapter(file));
}

/** What is written over a record that is to be deleted, so that setting and deleting is one step. */
const tombstone = null;

/** keyv wraps every value to keep the time at which it expires; ours do not, and are stored bare. */
const serialization: KeyvSerializationAdapter = {
  stringify: (wrapped) => stringifyJson((wrapped as { value: unknown }).value),
  parse: <T>(text: string) => ({ value: parsed(text) }) as T,
};

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The core's store over any keyv adapter. How much a crash leaves whole depends on the adapter: with SQLite a commit is
 * there or not, with an adapter whose `setMany` is no transaction it may be there in part.
 */
export class KeyvStore implements Store {
  readonly #keyv: Keyv;
  /** keyv reports errors as events and answers as if nothing were stored. */
  #error: Error | undefined;

  constructor(adapter: SqliteAdapter | KeyvStorageAdapter) {
    this.#keyv = new Keyv({ store: adapter, serialization, checkExpired: false });
    this.#keyv.on('error', (error: unknown) => {
      this.#error ??= error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Whether nothing was ever stored. */
  async isEmpty(): Promise<boolean> {
    const { done } = await this.#keyv.iterator().next();
    this.#check('The stored configuration cannot be read');
    return done === true;
  }

  async load(): Promise<[key: string, record: unknown][]> {
    const entries: [string, unknown][] = [];
    const deleted: string[] = [];
    let sorted = true;
    const pace = new Pace();
    for await (const [key, record] of this.#keyv.iterator()) {
      if (pace.isDue) await pace.rest();
      if (typeof key !== 'string') continue;
      if (record === tombstone) deleted.push(key);
      else {
        sorted &&= key > (entries.at(-1)?.[0] ?? '');
        entries.push([key, record]);
      }
    }
    this.#check('The stored configuration cannot be read');
    if (deleted.length > 0) await this.#keyv.deleteMany(deleted);
    // On a full disk they stay for the next time: they count as deleted wherever they are.
    this.#error = undefined;
    return sorted ? entries : entries.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  async commit({ set = [], delete: deleted = [] }: StoreChanges): Promise<void> {
    const entries = Array.from(set, ([key, value]) => ({ key, value }));
    const keys = [...deleted];
    if (entries.length > 0) {
      for (const key of keys) entries.push({ key, value: tombstone });
      const stored = await this.#keyv.setMany(entries);
      if (stored.includes(false)) this.#error ??= new Error('The store refused a record.');
      this.#check(notMade);
    }
    if (keys.length > 0) await this.#keyv.deleteMany(keys);
    this.#check(notMade);
  }

  /** Nothing may be called afterwards. */
  async close(): Promise<void> {
    await this.#keyv.disconnect();
  }

  #check(what: string): void {
    const error = this.#error;
    if (error === undefined) return;
    this.#error = undefined;
    throw refusal(what, error);
  }
}

const notMade = 'The change was not made';

function refusal(what: string, error: Error): Fault {
  return new Fault(ErrorCode.INTERNAL, `${what}: ${sqliteReason(error)}.`, { cause: error });
}

/** The store in an SQLite database. */
export class SqliteStore extends KeyvStore {
  readonly #adapter: SqliteAdapter;

  constructor(adapter: SqliteAdapter) {
    super(adapter);
    this.#adapter = adapter;
  }

  /** In one transaction and in pieces, where keyv would make promises for all records in one go. */
  override async commit({ set = [], delete: deleted = [] }: StoreChanges): Promise<void> {
    try {
      await this.#adapter.apply(textsOf(set), deleted);
    } catch (error) {
      throw refusal(notMade, error instanceof Error ? error : new Error(String(error)));
    }
  }

  has(key: string): Promise<boolean> {
    return this.#adapter.has(key);
  }

  /** Copies it into a file, which only the gateway's own user can read if it is made so before. */
  copyTo(file: string): Promise<void> {
    return this.#adapter.copyTo(file);
  }
}

function* textsOf(entries: NonNullable<StoreChanges['set']>): Generator<readonly [string, string]> {
  for (const [key, record] of entries) yield [key, stringifyJson(record)];
}
