import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The plugins of this repository, by the names of their folders. */
export const ownPlugins = readdirSync(join(root, 'plugins'))
  .filter((name) => existsSync(join(root, 'plugins', name, 'plugin.json')))
  .map(
    (name) =>
      JSON.parse(readFileSync(join(root, 'plugins', name, 'plugin.json'), 'utf8')) as {
        readonly id: string;
        readonly name: string;
      },
  );
