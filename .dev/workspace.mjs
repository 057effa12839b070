// What the other scripts know about the workspace: its packages, its files and the one Node it runs on.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const inRoot = (...parts) => join(root, ...parts);

export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Stamps say which inputs an install or a build was made from. */
export const stampFile = (name) => inRoot('.stamps', name.replaceAll('/', '-'));

export const isStamped = (file, hash) => existsSync(file) && readFileSync(file, 'utf8') === hash;

export const nodeLauncher = inRoot('node_modules', 'node', 'bin', 'node');

/** The Node 24 binary itself, not a shell shim in between: signals have to reach the program. */
export const nodeBinary = () => realpathSync(nodeLauncher);

/** Folders of the workspace packages, as pnpm-workspace.yaml lists them. */
function packageFolders() {
  const [, list = ''] =
    readFileSync(inRoot('pnpm-workspace.yaml'), 'utf8').match(/^packages:\n((?: +- .+\n)+)/m) ?? [];
  return [...list.matchAll(/- (\S+)/g)].flatMap(([, entry]) => {
    if (!entry.endsWith('/*')) return [entry];
    const parent = entry.slice(0, -2);
    return readdirSync(inRoot(parent)).map((name) => `${parent}/${name}`);
  });
}

/** Every workspace package: its folder below the root, its manifest and the packages of the workspace it uses. */
export function readPackages() {
  return packageFolders()
    .filter((folder) => existsSync(inRoot(folder, 'package.json')))
    .map((folder) => {
      const manifest = readJson(inRoot(folder, 'package.json'));
      const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
      const uses = Object.keys(dependencies).filter((name) => dependencies[name].startsWith('workspace:'));
      return { folder, path: inRoot(folder), name: manifest.name, uses };
    });
}

const notInputs = new Set(['node_modules', 'dist', 'test']);

/** All files below a folder, sorted, without hidden ones, folders that `skip` names and packages inside packages. */
export function listFiles(folder, skip = notInputs) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || skip.has(entry.name)) return [];
    if (!entry.isDirectory()) return [path];
    return existsSync(join(path, 'package.json')) ? [] : listFiles(path, skip);
  });
}

/** One hash over names and contents of files, and over whatever else decides the outcome. */
export function hashOf(files, ...also) {
  const hash = createHash('sha256');
  for (const part of also) hash.update(`${part}\0`);
  for (const file of files) {
    hash.update(`${relative(root, file).replaceAll(sep, '/')}\0`);
    hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Ends the run with a sentence for the reader instead of a stack trace. */
export class Failure extends Error {}
