import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkVersion } from '@tagway/sdk/internal';
import { Failure } from './failure.ts';
import { makeProject, type ProjectFiles, type ProjectKind, ProjectNameError } from './project.ts';
import own from '../package.json' with { type: 'json' };

const templates = fileURLToPath(new URL('../templates/', import.meta.url));
const notCopied = new Set(['node_modules', 'dist', '.dist']);

/** Makes a folder with a plugin whose packages of ours come from the registry. Its id is the folder's name. */
export function create(kind: ProjectKind, path: string): string {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Failure(`The folder ${folder} is not empty.`);
  const template = join(templates, kind);
  if (!existsSync(template))
    throw new Failure(
      `This kit came with a gateway, which makes projects itself: tagway plugin create ${kind} ${basename(folder)}`,
    );
  try {
    const project = makeProject({
      kind,
      id: basename(folder),
      sdk: sdkVersion,
      template: filesOf(template),
      packages: { '@tagway/pluginkit': `^${own.version}`, '@tagway/sdk': `^${sdkVersion}` },
    });
    for (const [file, content] of project) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
  } catch (error) {
    if (error instanceof ProjectNameError) throw new Failure(error.message);
    throw error;
  }
  return folder;
}

/** All files below a folder by their paths from it. */
function filesOf(folder: string, prefix = '', files: ProjectFiles = new Map()): ProjectFiles {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (notCopied.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesOf(path, `${prefix}${entry.name}/`, files);
    else files.set(`${prefix}${entry.name}`, readFileSync(path));
  }
  return files;
}
