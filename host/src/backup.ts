import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { readTar } from './library/tar.ts';
import { openSqliteStore, StoreInUse } from './store/store.ts';

const database = 'tagway.sqlite';
/** What a backup holds beside the database. */
const folders = ['keys', 'issuers', 'libraries', 'trusted', 'nodes', 'tls'];
/** Tries to copy a database that a gateway writes to all the time. */
const tries = 50;

/** Packs the data folder into a file. A gateway may run on it: nothing is asked of it. Replaces the file in one step. */
export async function backUp(data: string, file: string): Promise<void> {
  const staging = await mkdtemp(join(dirname(file), '.tagway-backup-'));
  try {
    const copy = join(staging, 'data');
    await mkdir(copy);
    await copyDatabase(data, copy);
    await checkDatabase(copy);
    for (const folder of folders) await copyFolder(join(data, folder), join(copy, folder));
    const packed = join(staging, 'packed');
    const archive = pack();
    const written = pipeline(archive, createGzip(), createWriteStream(packed, { mode: 0o600 }));
    await Promise.all([addAll(archive, copy, '').then(() => archive.finalize()), written]);
    await flush(packed);
    await rename(packed, file);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Puts a backup in the place of a data folder, once it is found to be good; what no backup holds, such as the log, stays. */
export async function restore(file: string, data: string): Promise<void> {
  await refuseWhenInUse(data);
  await mkdir(dirname(data), { recursive: true });
  const staging = await mkdtemp(join(dirname(data), `.${basename(data)}-restore-`));
  const aside = `${staging}-old`;
  try {
    await unpackInto(file, staging);
    await checkDatabase(staging);
    const store = openSqliteStore(join(staging, database));
    const records = await store.load().finally(() => store.close());
    if (!records.some(([key]) => key.startsWith('user/')))
      throw new Error('its database holds no configuration of a gateway');
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The backup ${file} cannot be restored, and nothing was changed: ${reason}.`, { cause });
  }
  await refuseWhenInUse(data);
  const isThere = await exists(data);
  if (isThere) await rename(data, aside);
  try {
    await rename(staging, data);
  } catch (error) {
    if (isThere) await rename(aside, data);
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
  if (!isThere) return;
  for (const name of await readdir(aside)) {
    const isReplaced = folders.includes(name) || name.startsWith(database) || name === 'running.json';
    if (!isReplaced) await rename(join(aside, name), join(data, name));
  }
  await rm(aside, { recursive: true });
}

/**
 * The gateway holds the lock of the database, so its files are copied as they are. The copy is whole when neither the file itself
 * was written meanwhile nor its log begun anew: what is appended to the log counts up to its last whole transaction.
 */
async function copyDatabase(data: string, target: string): Promise<void> {
  const from = join(data, database);
  if (!(await exists(from))) throw new Error(`The data folder ${data} holds no configuration.`);
  for (let left = tries; left > 0; left--) {
    const before = await stateOf(from);
    await copyFile(from, join(target, database));
    await rm(join(target, `${database}-wal`), { force: true });
    await copyExisting(`${from}-wal`, join(target, `${database}-wal`));
    // A clock that ticks coarsely would hide a second write that came at once.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (before === (await stateOf(from))) return;
  }
  throw new Error(`The database ${from} changes too fast to be copied. Try again in a moment.`);
}

async function stateOf(file: string): Promise<string> {
  const { mtimeNs, size } = await stat(file, { bigint: true });
  const log = await readFile(`${file}-wal`).catch(() => Buffer.alloc(0));
  return `${mtimeNs} ${size} ${log.subarray(0, 32).toString('hex')}`;
}

/** Leaves the database as a single file. */
async function checkDatabase(folder: string): Promise<void> {
  const file = join(folder, database);
  if (!(await exists(file))) throw new Error('it holds no database of a gateway');
  const opened = new DatabaseSync(file);
  try {
    opened.exec('PRAGMA journal_mode = DELETE');
    const found = opened.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (found !== 'ok') throw new Error(`its database is damaged (${String(found)})`);
  } finally {
    opened.close();
  }
}

async function refuseWhenInUse(data: string): Promise<void> {
  const file = join(data, database);
  if (!(await exists(file))) return;
  try {
    await openSqliteStore(file).close();
  } catch (error) {
    // A damaged database is what a backup is there for.
    if (error instanceof StoreInUse) throw error;
  }
}

/** Files that vanish meanwhile are left out, and whatever is neither a file nor a folder. */
async function copyFolder(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => []);
  if (entries.length > 0 || (await exists(from))) await mkdir(to, { recursive: true });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await copyExisting(source, target);
  }
}

async function copyExisting(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

async function addAll(archive: Pack, folder: string, prefix: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      archive.entry({ name: `${name}/`, type: 'directory' });
      await addAll(archive, path, `${name}/`);
      continue;
    }
    const { size, mode } = await stat(path);
    await pipeline(createReadStream(path), archive.entry({ name, size, mode: mode & 0o777 }));
  }
}

async function unpackInto(file: string, folder: string): Promise<void> {
  const gunzip = createGunzip();
  // What goes wrong ends the reading below with the same error.
  const feeding = pipeline(createReadStream(file), gunzip).catch(() => undefined);
  for await (const { path, isFolder, isExecutable, content } of readTar(gunzip)) {
    const parts = path.replace(/\/$/, '').split('/');
    const isPlain = parts.every((part) => !['', '.', '..'].includes(part) && !/[\\:\0]/.test(part));
    if (!isPlain || ![database, ...folders].includes(parts[0] ?? ''))
      throw new Error(`it has an entry "${path}" that no backup has`);
    const target = join(folder, ...parts);
    await mkdir(isFolder ? target : dirname(target), { recursive: true });
    if (isFolder) continue;
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    if (isExecutable) await chmod(target, 0o700);
    await flush(target);
  }
  await feeding;
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
