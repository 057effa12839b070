import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemReason } from '../core/system/system-error.ts';
import type { Store } from '../core/ports/ports.ts';
import { database } from './data-swap.ts';
import { hasAddress } from './gateway-address.ts';
import {
  checkNotLost,
  isLogLost,
  openSqliteStore,
  SnapshotFolder,
  type SqliteStore,
} from '../store/store.ts';

/** Makes the data folder when it is missing. Throws a sentence when it cannot be made, or cannot be read and written. */
export async function makeFolder(path: string): Promise<void> {
  await makeMissing(path);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw new Error(`The data folder ${path} cannot be used: ${systemReason(cause)}.`, { cause });
  });
}

/** Not with `recursive` of `mkdir`: below /proc the system reports a missing parent for ever, and `mkdir` never ends. */
async function makeMissing(path: string): Promise<void> {
  const state = await stat(path).catch(() => undefined);
  if (state?.isDirectory() === true) return;
  const parent = dirname(path);
  if (state === undefined && parent !== path) await makeMissing(parent);
  await mkdir(path).catch((cause: unknown) => {
    const isNowhere = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isNowhere ? 'the system allows no folder there' : systemReason(cause);
    throw new Error(`The data folder ${path} cannot be made: ${reason}.`, { cause });
  });
}

/** Warns the operator, also where the log is not at hand or cannot be written. */
export type Warn = (sentence: string) => void;

/**
 * Opens the database. Where a gateway ran before, throws when the database is missing or empty, unless the gateway is to begin
 * anew.
 */
export async function openDatabase(data: string, warn: Warn, isBeginning: boolean): Promise<SqliteStore> {
  const file = join(data, database);
  if (!isBeginning) await checkNotLost(file);
  const wasLogLost = await isLogLost(file, hasAddress(data));
  const store = openSqliteStore(file);
  try {
    if (!isBeginning && (await store.isEmpty())) await checkNotLost(file, true);
  } catch (error) {
    await store.close();
    throw error;
  }
  if (wasLogLost) {
    warn(
      `The log ${database}-wal of the database in ${data} is missing, though the gateway before did not end properly: ` +
        'changes that were made shortly before its end may be lost. Check the configuration.',
    );
  }
  return store;
}

/** Snapshots of a store, in the data folder. `sealed` makes of a copy of it what reads its secrets. */
export function snapshotsOf(
  data: string,
  store: SqliteStore,
  sealed: (copy: Store) => Store,
): SnapshotFolder {
  return new SnapshotFolder({
    path: join(data, 'snapshots'),
    copy: (file) => store.copyTo(file),
    open(file) {
      const copy = openSqliteStore(file);
      return { load: () => sealed(copy).load(), close: () => copy.close() };
    },
  });
}
