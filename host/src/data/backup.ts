import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { addFolder } from '../library/tar.ts';
import { database, exists, folders, isSwapping, npmrc } from './data-swap.ts';

/** Tries to copy a database that a gateway writes to all the time. */
const tries = 50;

/** Packs the data folder into a file. A gateway may run on it: nothing is asked of it. With `force` it replaces a file in one step. */
export async function backUp(data: string, file: string, force: boolean): Promise<void> {
  if (await isSwapping(data))
    throw new Error(
      `A backup is being restored in the data folder ${data}, or that was interrupted. Start the gateway, which completes it, and try again.`,
    );
  if (!force) await checkFree(file);
  const staging = await mkdtemp(join(dirname(file), '.tagway-backup-'));
  try {
    const copy = join(staging, 'data');
    await mkdir(copy);
    await copyDatabase(data, copy);
    await checkDatabase(copy);
    for (const folder of folders) await copyFolder(join(data, folder), join(copy, folder));
    await copyExisting(join(data, npmrc), join(copy, npmrc));
    const packed = join(staging, 'packed');
    const archive = pack();
    const written = pipeline(archive, createGzip(), createWriteStream(packed, { mode: 0o600 }));
    await Promise.all([addFolder(archive, copy, '', true).then(() => archive.finalize()), written]);
    await flush(packed);
    if (!force) await checkFree(file);
    await rename(packed, file);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function checkFree(file: string): Promise<void> {
  if (await exists(file))
    throw new Error(
      `There is ${file} already, and it is kept. Name another file, or let the backup take its place with --force.`,
    );
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

/** Checks the database and makes it a single file. Throws when it is missing or damaged. */
export async function checkDatabase(folder: string): Promise<void> {
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

/** Files that vanish meanwhile are left out, and whatever is neither a file nor a folder. */
async function copyFolder(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => []);
  if (entries.length > 0 || (await exists(from))) await mkdir(to, { recursive: true });
  for (const entry of entries) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await copyExisting(source, target);
  }
}

async function copyExisting(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

export async function flush(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.sync();
}
