import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'libraries/unruly');

export interface LibraryOptions {
  /** Module text instead of the driver that misbehaves on demand. */
  readonly module?: string;
  /** Members of plugin.json that are to be different. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** The whole text of plugin.json instead. */
  readonly manifestText?: string;
}

/**
 * Puts a copy of the unruly driver into the data folder of a gateway that does not run yet. Copies have different ids,
 * hence processes, so that one test's crashes do not lengthen the next one's back-off. Its plugin name is the id.
 */
export async function addLibrary(data: string, id: string, options: LibraryOptions = {}): Promise<void> {
  const folder = join(data, 'libraries', id);
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  const path = join(folder, 'plugin.json');
  const manifest = {
    ...(JSON.parse(await readFile(path, 'utf8')) as object),
    id,
    name: id,
    ...options.manifest,
  };
  await writeFile(path, options.manifestText ?? JSON.stringify(manifest));
  if (options.module !== undefined) await writeFile(join(folder, 'index.js'), options.module);
}
