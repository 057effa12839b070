import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AuthorKit } from '../kit/author-kit.ts';

/** Makes a folder with the project of a new plugin, which has the folder's name. Rejects with a sentence for the author. */
export async function createProject(kind: 'driver' | 'app', folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`${folder} is there already, and is no folder that could be used.`, { cause: error });
  });
  if (entries.length > 0)
    throw new Error(`The folder ${folder} is not empty. Choose another name, or empty it first.`);
  for (const [path, content] of await new AuthorKit().project(kind, basename(folder))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
