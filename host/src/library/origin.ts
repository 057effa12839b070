import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginOrigin } from '@tagway/schemas';
import { isBoolean, isText, membersOf, optional } from '../core/system/shapes.ts';

/**
 * The file in the folder of an installed library that says where it came from. The gateway writes it: an archive that brings one is
 * refused, because it could say that it came from somewhere else.
 */
export const originFile = '.tagway-origin.json';

const isOrigin = membersOf<PluginOrigin>({
  registry: isText,
  package: isText,
  version: isText,
  sha512: isText,
  publisher: optional(isText),
  repository: optional(isText),
  attested: optional(isBoolean),
});

/** Undefined for a library that came from a file, and for one whose file cannot be read. */
export async function readOrigin(folder: string): Promise<PluginOrigin | undefined> {
  try {
    const origin: unknown = JSON.parse(await readFile(join(folder, originFile), 'utf8'));
    return isOrigin(origin) ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** On disk when it resolves. */
export async function writeOrigin(folder: string, origin: PluginOrigin): Promise<void> {
  await using file = await open(join(folder, originFile), 'wx', 0o644);
  await file.writeFile(`${JSON.stringify(origin)}\n`);
  await file.sync();
}
