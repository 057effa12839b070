import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { manifestOf, unrulyFolder, type LibraryOptions } from './archives.ts';
import type { Client } from './client.ts';
import { addDriver, connected, readValues } from './configure.ts';
import type { Gateway } from './gateway.ts';

/**
 * Puts a copy of the unruly driver into the data folder of a gateway that does not run yet. Copies have different ids,
 * hence processes, so that one test's crashes do not lengthen the next one's back-off. Its plugin name is the id.
 */
export async function addLibrary(data: string, id: string, options: LibraryOptions = {}): Promise<void> {
  const folder = join(data, 'libraries', id);
  await mkdir(folder, { recursive: true });
  await cp(unrulyFolder, folder, { recursive: true });
  await writeFile(join(folder, 'plugin.json'), manifestOf(id, options));
  if (options.module !== undefined) await writeFile(join(folder, 'index.js'), options.module);
}

/** Puts the driver with inputs, `Linked`, into the data folder of a gateway that does not run yet. */
export const addLinked = (data: string): Promise<void> => copyLibrary(data, 'linked');

/** Puts the app with inputs, `Copier`, into the data folder of a gateway that does not run yet. */
export const addCopier = (data: string): Promise<void> => copyLibrary(data, 'copier');

function copyLibrary(data: string, id: string): Promise<void> {
  return cp(join(import.meta.dirname, '../libraries', id), join(data, 'libraries', id), { recursive: true });
}

/** Adds a node of a copy of the unruly driver, called like it, with the tags `count` and `command` of one group. */
export function addUnrulyNode(client: Client, id: string, settings: object = {}): Promise<void> {
  const attribute = Attribute.READ | Attribute.WRITE;
  const tags = [
    { name: 'count', address: 'count', attribute, type: DataType.INT32 },
    { name: 'command', address: 'command', attribute, type: DataType.STRING },
  ];
  return addDriver(client, id, { plugin: id, tags, settings });
}

/** Installs an archive that is sent along. The client waits for as long as an upgrade may take to prove itself. */
export async function installLibrary(client: Client, archive: Buffer, signature?: string): Promise<void> {
  const file = archive.toString('base64');
  await client.ok('POST', '/plugin', { library: 'any.tgz', file, signature }, { within: 60_000 });
}

/** Waits until a node runs: with a value of every tag of a group, where one is named, and else connected. */
export async function runs(client: Client, node: string, group?: string): Promise<void> {
  if (group === undefined) await connected(client, node, 30_000);
  else await readValues(client, node, group, 30_000);
}

/** Starts the gateway again, and waits until the node of a plugin that is not the gateway's own runs as before. */
export async function restartsWith(
  gateway: Gateway,
  client: Client,
  node: string,
  group?: string,
): Promise<void> {
  await gateway.restart();
  await runs(client, node, group);
}
