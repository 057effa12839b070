import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemReason } from '../core/system/system-error.ts';
import { SourceError } from './source-error.ts';

/** Files of a folder, and folders in one another. */
const mostFiles = 20_000;
const mostDepth = 20;
/** Milliseconds after the last change of a file, until which a folder is taken for one that is being written. */
const settled = 2000;

/** A folder as it is at one moment. */
export interface FolderState {
  /** Changes with the names, the sizes and the times of the files. */
  readonly stamp: string;
  /** Paths within the folder, in order. */
  readonly files: readonly string[];
}

/** Looks at a folder that other programs fill. Rejects with `SourceError` when it is not there, or is being written. */
export async function stateOf(folder: string, now = Date.now()): Promise<FolderState> {
  const stamp = createHash('sha256');
  const files: string[] = [];
  let newest = 0;
  const visit = async (path: string, depth: number): Promise<void> => {
    if (depth > mostDepth)
      throw new SourceError(`In the folder ${folder} folders are deeper than ${mostDepth}.`);
    const names = await readdir(join(folder, path));
    for (const name of names.filter((one) => !one.startsWith('.')).sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const found = await stat(join(folder, below), { bigint: true }).catch(() => undefined);
      if (found === undefined) continue;
      if (found.isDirectory()) await visit(below, depth + 1);
      if (!found.isFile()) continue;
      files.push(below);
      if (files.length > mostFiles)
        throw new SourceError(`The folder ${folder} has more than ${mostFiles} files.`);
      newest = Math.max(newest, Number(found.mtimeMs), Number(found.ctimeMs));
      stamp.update(`${below}\0${found.size}\0${found.mtimeNs}\0${found.ctimeNs}\0${found.ino}\0`);
    }
  };
  try {
    // Programs that swap a folder as a whole swap a link.
    stamp.update(`${await realpath(folder)}\0`);
    await visit('', 0);
  } catch (cause) {
    if (cause instanceof SourceError) throw cause;
    throw new SourceError(`The folder ${folder} cannot be read: ${systemReason(cause)}.`, { cause });
  }
  if (Math.abs(now - newest) < settled)
    throw new SourceError(
      `The folder ${folder} is being written: it is read once nothing in it changes for ${settled / 1000} seconds.`,
      { isSoon: true },
    );
  return { stamp: stamp.digest('hex'), files };
}

/** The hash of the names and the content of files. */
export async function hashOf(folder: string, files: readonly string[]): Promise<string> {
  const all = createHash('sha256');
  for (const file of files) {
    const one = createHash('sha256');
    for await (const piece of createReadStream(join(folder, file)) as AsyncIterable<Buffer>)
      one.update(piece);
    all.update(`${file}\0`).update(one.digest());
  }
  return all.digest('hex').slice(0, 40);
}
