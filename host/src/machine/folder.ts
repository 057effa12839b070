import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { FileEntry } from '../core/ports/machine.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** Entries that are listed at most, in the order in which the system gives them. */
const most = 10_000;
/** Entries that are looked at at once. */
const parallel = 32;

/** Which folders may be listed. */
export interface Listable {
  /** These, and what lies below. */
  readonly roots: readonly string[];
  /** But not these, nor what lies below. */
  readonly never: readonly string[];
}

/**
 * What a folder holds, by name. Rejects with FILE_NOT_FOUND when nothing has this path, with FILE_OPEN_FAILED when it is no folder or may
 * not be listed.
 */
export async function listFolder(path: string, { roots, never }: Listable): Promise<FileEntry[]> {
  try {
    if (!(await isWithin(path, roots)) || (await isWithin(path, never))) {
      throw new Refusal(
        ErrorCode.FILE_OPEN_FAILED,
        sentence`The folder ${path} may not be listed: only the libraries of the data folder and what --file-roots names may be, and no keys.`,
      );
    }
    const names: string[] = [];
    for await (const { name } of await opendir(path)) {
      if (names.push(name) === most) break;
    }
    const entries: FileEntry[] = [];
    for (let i = 0; i < names.length; i += parallel) {
      const some = await Promise.all(names.slice(i, i + parallel).map((name) => entryOf(path, name)));
      entries.push(...some.filter((entry) => entry !== undefined));
    }
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const isMissing = ['ENOENT', 'ENAMETOOLONG'].includes((cause as NodeJS.ErrnoException).code ?? '');
    const code = isMissing ? ErrorCode.FILE_NOT_FOUND : ErrorCode.FILE_OPEN_FAILED;
    throw new Refusal(code, sentence`The folder ${path} cannot be listed.`, { cause });
  }
}

/** Links are resolved first, so that none leads out of the roots. Outside of the roots the answer does not depend on what exists. */
async function isWithin(path: string, roots: readonly string[]): Promise<boolean> {
  const real = await realpath(path).catch(() => join(path));
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  return realRoots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** Undefined for an entry that is gone already. A link that leads nowhere is described itself. */
async function entryOf(folder: string, name: string): Promise<FileEntry | undefined> {
  const path = join(folder, name);
  try {
    const { size, ctimeMs, mtimeMs } = await stat(path).catch(() => lstat(path));
    return { name, size, changed: ctimeMs, modified: mtimeMs };
  } catch {
    return undefined;
  }
}
