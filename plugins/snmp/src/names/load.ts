import { readFile } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '@tagway/sdk';
import { Names, usualNames } from './names.ts';
import { parseModules, type Module } from './smi.ts';

/** That of node:fs/promises keeps a handle of the file until the next collection of garbage. */
const read = promisify(readFile);

/** Limits of what a folder may hold. */
const mostFiles = 500;
const mostBytes = 4 << 20;

/** The names that a node has: the usual ones, and those of the MIB files in its folder `mibs`. Says in the log what cannot be used. */
export async function loadNames({
  dataDir,
  log,
  node,
}: Pick<Context, 'dataDir' | 'log' | 'node'>): Promise<Names> {
  const folder = join(dataDir, 'mibs');
  const names = new Names(usualNames);
  const files = (await readdir(folder).catch(() => [])).sort().slice(0, mostFiles);
  const modules: Module[] = [];
  for (const file of files) {
    const path = join(folder, file);
    try {
      const about = await stat(path);
      if (!about.isFile()) continue;
      if (about.size > mostBytes) throw new Error(`it is larger than ${mostBytes >> 20} MB`);
      const found = parseModules(await read(path, 'latin1'));
      if (found.length === 0) throw new Error('it holds no MIB module');
      modules.push(...found);
    } catch (error) {
      log.warn(
        `The file mibs/${file} of node ${node} is left out: ${(error as Error).message.replace(/\.$/, '')}.`,
      );
    }
  }
  const missing = names.addModules(modules);
  if (missing.length > 0) {
    const some = missing.slice(0, 5).join(', ');
    const more = missing.length > 5 ? ` and ${missing.length - 5} more` : '';
    log.warn(
      `The MIB files of node ${node} name objects that are in none of them: ${some}${more}. Put the files that define these into the folder mibs too; what lies below them has no names.`,
    );
  }
  if (modules.length > 0) log.info(`Node ${node} has the names of ${modules.length} MIB modules.`);
  return names;
}
