import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkVersion } from '@tagway/sdk/internal';
import { Failure } from './failure.ts';
import own from '../package.json' with { type: 'json' };

const templates = fileURLToPath(new URL('../templates/', import.meta.url));
const notCopied = new Set(['node_modules', 'dist', '.dist']);

/** Makes a folder with a plugin that builds, passes its tests and waits to be changed. Its id is the folder's name. */
export function create(kind: 'driver' | 'app', path: string): string {
  const folder = resolve(path);
  const id = basename(folder);
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(id))
    throw new Failure(
      `"${id}" cannot be the id of a plugin: use up to 63 lower-case letters, digits and hyphens.`,
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Failure(`The folder ${folder} is not empty.`);
  const name = id
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')
    .slice(0, 31);

  const template = join(templates, kind);
  cpSync(template, folder, {
    recursive: true,
    filter: (source) => source === template || !notCopied.has(basename(source)),
  });
  change(folder, 'package.json', (text) => {
    const { private: _, ...packageJson } = JSON.parse(text) as Record<string, unknown>;
    const changed = { ...packageJson, name: id, description: `${name} for the Tagway gateway.` };
    return JSON.stringify(changed, undefined, 2)
      .replace(/("@tagway\/pluginkit": )"workspace:\*"/, `$1"^${own.version}"`)
      .replace(/("@tagway\/sdk": )"workspace:\*"/, `$1"^${sdkVersion}"`);
  });
  change(folder, 'plugin.json', (text) => {
    const manifest = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify({ ...manifest, id, name, sdk: `^${sdkVersion}` }, undefined, 2);
  });
  change(folder, 'README.md', (text) => text.replace(/^# .*/, `# ${name}`).trimEnd());
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\ndist/\n*.tgz\n*.tgz.sig\n');
  return folder;
}

function change(folder: string, file: string, edit: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, `${edit(readFileSync(path, 'utf8'))}\n`);
}
