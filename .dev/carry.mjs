// The npm packages that travel in the archive as they are, laid out as npm does it.
import { cpSync, existsSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { Failure, inRoot, readJson } from './workspace.mjs';

/** Of package.json, what is of use to the one who has the package: above all no scripts, and nothing that makes npm compile. */
const kept = [
  ...['name', 'version', 'description', 'license', 'author', 'type', 'main', 'module', 'exports', 'imports'],
  ...['browser', 'bin', 'engines', 'os', 'cpu', 'dependencies', 'homepage', 'repository', 'binary'],
];
/** What nobody runs: sources of what is built, type declarations, source maps, tests and what compiles a native module. */
const notCarried = /(?:\.map|\.d\.[cm]?ts|\.tsbuildinfo|(?:^|\/)binding\.gyp|\.gypi|\.md)$/i;
const notCarriedFolders = new Set([
  ...['node_modules', '.github', 'test', 'tests', 'docs', 'example', 'examples', 'benchmark', 'benchmarks'],
]);
/** Systems for which plugins' native modules travel. Others have no gateway. */
const platforms = /^(?:linux|darwin|win32)-/;

export const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
export const pick = (from, keys) =>
  Object.fromEntries(keys.filter((key) => key in from).map((key) => [key, from[key]]));

/** Paths of the files of a folder from it, sorted; those of dot folders too, but for folders that `skip` names. */
export function filesBelow(folder, skip = []) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !skip.includes(name));
  const files = entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name];
    return filesBelow(join(folder, entry.name), skip).map((file) => `${entry.name}/${file}`);
  });
  return files.sort();
}

const isCarried = (root) => (file) => {
  const path = relative(root, file);
  if (path === '') return true;
  if (basename(dirname(file)) === 'prebuilds') return platforms.test(basename(file));
  if (statSync(file).isDirectory()) return !notCarriedFolders.has(basename(file));
  return /^(?:licen[cs]e|copying|notice)/i.test(basename(file)) || !notCarried.test(path);
};

/** The package that a module gets when it imports this name; Node looks in the same places. */
function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (folder === dirname(folder))
      throw new Failure(`The package ${name}, which ${from} needs, is not installed.`);
  }
}

/**
 * Copies packages with all that they depend on into one flat folder of node_modules, which has room for one version of each. Returns the
 * folders that they came from.
 */
export function carryPackages(wanted, root) {
  const carried = new Map();
  const queue = [...wanted];
  for (const { name, from } of queue) {
    const folder = findPackage(name, from);
    const known = carried.get(name);
    if (known === folder) continue;
    if (known !== undefined) throw new Failure(`Two versions of ${name} are needed: ${known} and ${folder}.`);
    carried.set(name, folder);
    const target = join(root, 'node_modules', name);
    const manifest = readJson(join(folder, 'package.json'));
    cpSync(folder, target, { recursive: true, dereference: true, filter: isCarried(folder) });
    writeJson(join(target, 'package.json'), pick(manifest, kept));
    for (const needed of Object.keys(manifest.dependencies ?? {})) queue.push({ name: needed, from: folder });
  }
  return new Set(carried.values());
}

/** Packs files of a folder, given by their paths from it, into an archive. The same content gives the same bytes, whenever it is packed. */
export function createArchive(file, folder, files) {
  // Only now: on a fresh machine this file is read before anything is installed.
  const { create } = createRequire(inRoot('sdk', 'pluginkit', 'package.json'))('tar');
  // npm's date for files in archives.
  const mtime = new Date('1985-10-26T08:15:00Z');
  create({ sync: true, file, cwd: folder, gzip: { level: 9 }, portable: true, mtime }, files);
}
