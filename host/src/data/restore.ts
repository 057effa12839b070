import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { checkDatabase, flush } from './backup.ts';
import { checkContent } from './check-content.ts';
import { database, exists, finish, folders, leftover, npmrc, swapIn } from './data-swap.ts';
import { readTar, safeParts } from '../library/tar.ts';
import { LockedDatabase } from '../store/locked-database.ts';
import { openSqliteStore, SnapshotFolder } from '../store/store.ts';

/**
 * Puts what a backup holds in the place of the content of a data folder, once it is found to be good; what no backup holds, such as the log,
 * stays. It happens within the folder, which may be a mount point. No gateway can start meanwhile; after a crash the next start,
 * or the next restore, completes what was begun.
 */
export async function restore(file: string, data: string): Promise<void> {
  const made = await makeDataFolder(data);
  const isNew = !(await exists(join(data, database)));
  try {
    using locked = new LockedDatabase(join(data, database));
    await finish(data, locked);
    const staging = await unpack(file, data);
    if (!isNew) await keepSnapshot(data, staging, locked);
    await swapIn(staging, data, locked);
  } catch (error) {
    if (error instanceof BadBackup && isNew) await rm(made ?? join(data, database), { recursive: true });
    throw error;
  }
}

/**
 * Keeps what is about to be replaced as a snapshot, as every restore does. Not where the backup brings another key: a snapshot whose
 * secrets cannot be opened could not be restored.
 */
async function keepSnapshot(data: string, staging: string, locked: LockedDatabase): Promise<void> {
  const [own, other] = await Promise.all(
    [data, staging].map((folder) => readFile(join(folder, 'keys', 'secrets.key')).catch(() => undefined)),
  );
  if (own !== undefined && other?.equals(own) !== true) return;
  const copy = join(staging, 'replaced');
  await writeFile(copy, '', { mode: 0o600 });
  if (!locked.copyTo(copy)) return;
  const snapshots = new SnapshotFolder({
    path: join(data, 'snapshots'),
    copy: (file) => copyFile(copy, file),
    open: openSqliteStore,
  });
  await snapshots.make('restore');
}

class BadBackup extends Error {}

/** Makes the data folder and those above it. Returns the highest that was missing. */
async function makeDataFolder(data: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let path = data; !(await exists(path)); path = dirname(path)) missing.unshift(path);
  for (const path of missing)
    await mkdir(path).catch((cause: unknown) => {
      throw new Error(`The data folder ${data} cannot be made: ${messageOf(cause)}.`, { cause });
    });
  return missing[0];
}

/** Returns a folder in the data folder with what the backup holds. */
async function unpack(file: string, data: string): Promise<string> {
  const staging = await mkdtemp(join(data, leftover)).catch((cause: unknown) => {
    throw new Error(`Nothing can be made in the data folder ${data}: ${messageOf(cause)}.`, { cause });
  });
  try {
    await unpackInto(file, staging);
    await checkDatabase(staging);
    await checkContent(staging);
    await checkDatabase(staging);
    // One that the backup does not have is to be empty.
    for (const folder of folders) await mkdir(join(staging, folder), { recursive: true });
    return staging;
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    throw new BadBackup(
      `The backup ${file} cannot be restored, and nothing was changed: ${messageOf(cause)}.`,
      { cause },
    );
  }
}

async function unpackInto(file: string, folder: string): Promise<void> {
  const gunzip = createGunzip();
  // What goes wrong ends the reading below with the same error.
  const feeding = pipeline(createReadStream(file), gunzip).catch(() => undefined);
  for await (const { path, isFolder, isExecutable, content } of readTar(gunzip)) {
    const parts = safeParts(path);
    if (parts === undefined || ![database, npmrc, ...folders].includes(parts[0] ?? ''))
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

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
}
