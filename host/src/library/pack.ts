import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';

/** An archive of what is in a folder, as `unpack` takes it. */
export async function packFolder(folder: string): Promise<Buffer> {
  const archive = pack();
  const packed = buffer(archive.pipe(createGzip()));
  try {
    await addAll(archive, folder, 'package/');
    archive.finalize();
  } catch (error) {
    archive.destroy();
    throw error;
  }
  return packed;
}

async function addAll(archive: Pack, folder: string, prefix: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) await addAll(archive, path, `${name}/`);
    else if (entry.isFile()) {
      const { size, mode } = await stat(path);
      await pipeline(createReadStream(path), archive.entry({ name, size, mode: mode & 0o777 }));
    }
  }
}
