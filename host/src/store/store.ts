import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import { Keyv, type KeyvSerializationAdapter } from 'keyv';
import type { Store, StoreChanges } from '../core/ports/ports.ts';
import { Pacer } from '../core/system/pacer.ts';
import { SqliteAdapter } from './sqlite.ts';
import { sqliteReason } from './sqlite-errors.ts';

export { checkNotLost, isLogLost } from './lost-database.ts';
export { SnapshotFolder } from './snapshot-folder.ts';
export { StoreInUse } from './sqlite-errors.ts';

/** The embedded store of one gateway, in a file. Throws an error that says what to do when the file cannot be used. */
export const openSqliteStore = (file: string): SqliteStore => new SqliteStore(file);

/** Keyv wraps every value to keep the time at which it expires; ours do not expire, and are stored bare. */
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

/** Records that Keyv is given at once. It makes promises for all of them together, which keeps the event loop. */
const pieceSize = 100;

/** The core's store: Keyv on a database of SQLite. */
export class SqliteStore implements Store {
  readonly #adapter: SqliteAdapter;
  readonly #keyv: Keyv;
  /** Keyv reports errors as events and answers as if nothing were stored. */
  #error: Error | undefined;

  constructor(file: string) {
    this.#adapter = new SqliteAdapter(file);
    this.#keyv = new Keyv({ store: this.#adapter, serialization, checkExpired: false });
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

  async has(key: string): Promise<boolean> {
    const isThere = await this.#keyv.has(key);
    this.#check('The stored configuration cannot be read');
    return isThere;
  }

  async load(): Promise<[key: string, record: unknown][]> {
    const entries: [string, unknown][] = [];
    const pace = new Pacer();
    for await (const entry of this.#keyv.iterator()) {
      if (pace.isDue) await pace.rest();
      // Null is a deleted record that a gateway of an older version left behind when it was killed.
      if (entry[1] !== null) entries.push(entry as [string, unknown]);
    }
    this.#check('The stored configuration cannot be read');
    return entries;
  }

  /** In one transaction, and in pieces between which the gateway does other things. */
  async commit({ set = [], delete: deleted = [] }: StoreChanges): Promise<void> {
    const what = 'The change was not made';
    try {
      await this.#adapter.transaction(async () => {
        const pace = new Pacer();
        for (const entries of inPieces(set)) {
          await this.#keyv.setMany(entries.map(([key, value]) => ({ key, value })));
          this.#check(what);
          if (pace.isDue) await pace.rest();
        }
        for (const keys of inPieces(deleted)) {
          await this.#keyv.deleteMany(keys);
          this.#check(what);
          if (pace.isDue) await pace.rest();
        }
        // The end of a large transaction takes long by itself.
        if (pace.hasRested) await pace.rest();
      });
    } catch (error) {
      throw error instanceof Fault ? error : refusal(what, error);
    }
  }

  /** Copies it into a file, which only the gateway's own user can read if it is made so before. */
  copyTo(file: string): Promise<void> {
    return this.#adapter.copyTo(file);
  }

  /** Nothing may be called afterwards. */
  async close(): Promise<void> {
    await this.#keyv.disconnect();
  }

  #check(what: string): void {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw refusal(what, error);
  }
}

function* inPieces<T>(things: Iterable<T>): Generator<T[]> {
  let piece: T[] = [];
  for (const thing of things) {
    if (piece.push(thing) < pieceSize) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

function refusal(what: string, cause: unknown): Fault {
  return new Fault(ErrorCode.INTERNAL, `${what}: ${sqliteReason(cause)}.`, { cause });
}
