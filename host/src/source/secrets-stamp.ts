import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes with the names, the sizes and the times of the files of a folder of secrets; their content is not read. */
export async function secretsStamp(folder: string | undefined): Promise<string> {
  if (folder === undefined) return '';
  const stamp = createHash('sha256');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort()) {
    const found = await stat(join(folder, name), { bigint: true }).catch(() => undefined);
    if (found?.isFile() === true) stamp.update(`${name}\0${found.size}\0${found.mtimeNs}\0${found.ino}\0`);
  }
  return stamp.digest('hex');
}
