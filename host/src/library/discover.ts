import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginKind } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import { readLibrary } from './manifest.ts';

/**
 * Finds the libraries in the subfolders of `system`, which come with the gateway, and of `custom`, which users added; the folders need not
 * exist. A library that cannot be used, or whose name is taken, is left out, and the log has the reason.
 */
export async function discover(system: readonly string[], custom: string, log: Log): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const parent of system) await scan(parent, PluginKind.SYSTEM, plugins, log);
  await scan(custom, PluginKind.CUSTOM, plugins, log);
  return plugins;
}

/** A subfolder without a plugin.json is no library; a hidden one is an installation that is not finished. */
async function scan(parent: string, kind: PluginKind, plugins: Plugin[], log: Log): Promise<void> {
  for (const entry of await entriesOf(parent)) {
    const folder = join(parent, entry.name);
    const isFolder = entry.isDirectory() || entry.isSymbolicLink();
    if (!isFolder || entry.name.startsWith('.')) continue;
    const files = await entriesOf(folder);
    if (!files.some((file) => file.name === 'plugin.json')) continue;
    try {
      const plugin = await readLibrary(folder, entry.name, kind);
      const rival = plugins.find((other) => other.id === plugin.id || other.name === plugin.name);
      if (rival !== undefined) {
        throw new Error(`the library ${rival.library} has a plugin "${rival.name}" (${rival.id}) already`);
      }
      plugins.push(plugin);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error(`The library ${folder} was skipped: ${reason.replace(/\.$/, '')}.`);
    }
  }
}

/** In the order of their names; none when the folder cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}
