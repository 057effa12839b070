import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LockedDatabase } from '../store/locked-database.ts';

/** What a backup holds of a data folder. */
export const database = 'tagway.sqlite';
export const folders = ['keys', 'issuers', 'libraries', 'profiles', 'trusted', 'nodes', 'tls'];
/** Which registries are asked, with credentials. A folder keeps its own when a backup has none. */
export const npmrc = 'npmrc';

/** The content that a data folder is to get, complete and checked: from the moment that it has this name it will be put in place. */
const checked = '.restore';
/** The names of folders that are not needed any more begin so: of restores that were not complete, and of those that are in place. */
export const leftover = `${checked}-`;

/** Makes what is in `staging`, a folder in the data folder, the content of the data folder. `locked` is the database of the data folder. */
export async function swapIn(staging: string, data: string, locked: LockedDatabase): Promise<void> {
  await rename(staging, join(data, checked));
  await finish(data, locked);
}

/** Whether the data folder is between two contents, because that is going on or was interrupted. */
export function isSwapping(data: string): Promise<boolean> {
  return exists(join(data, checked));
}

/** Completes what a crash has interrupted. Returns whether there was a content to put in place. Throws `StoreInUse` while that is going on. */
export async function completeSwap(data: string): Promise<boolean> {
  if (!(await readdir(data)).some((name) => name.startsWith(checked))) return false;
  using locked = new LockedDatabase(join(data, database));
  return await finish(data, locked);
}

/** Puts the content in place. Every step can be repeated after a crash: what has left the staged content is in place. */
export async function finish(data: string, locked: LockedDatabase): Promise<boolean> {
  const from = join(data, checked);
  const isFound = await exists(from);
  if (isFound) {
    for (const part of [...folders, npmrc]) {
      if (!(await exists(join(from, part)))) continue;
      await rm(join(data, part), { recursive: true, force: true });
      await rename(join(from, part), join(data, part));
    }
    locked.replaceBy(join(from, database));
    await rm(join(data, 'running.json'), { force: true });
    // It is of the groups that were there, whose numbers others have now.
    await rm(join(data, 'history'), { recursive: true, force: true });
    await rename(from, join(data, `${leftover}done`));
  }
  for (const name of await readdir(data))
    if (name.startsWith(leftover)) await rm(join(data, name), { recursive: true });
  return isFound;
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
