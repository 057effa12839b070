import { mkdir } from 'node:fs/promises';

/** Makes a folder and those above it, with the rights of `mode`. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode });
  } catch (error) {
    // On a read-only file system Node says ENOENT for `recursive`, and the reason without it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(path, { mode });
  }
}
