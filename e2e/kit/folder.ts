import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lasting, type Lifetime } from './late-bound.ts';

/** To be called in a suite: a temporary folder, as a function that joins paths to it. */
export function useFolder(name: string, lifetime: Lifetime = 'suite'): (...paths: string[]) => string {
  let folder = '';
  const begin = async (): Promise<void> => void (folder = await mkdtemp(join(tmpdir(), `tagway-${name}-`)));
  lasting(lifetime, begin, () => rm(folder, { recursive: true, force: true }));
  return (...paths) => {
    if (folder === '') throw new Error('The folder is not there before the first test.');
    return join(folder, ...paths);
  };
}
