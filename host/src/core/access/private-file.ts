import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../system/make-folder.ts';

/**
 * Writes a file that only the gateway's own user may read, and the folder it lies in when that is missing. It is written aside and
 * renamed, so that a crash leaves either what was there or all of it.
 */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await makeFolder(dirname(file), 0o700);
  const draft = `${file}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
