// The npm packages that travel in the archive as they are, laid out as npm does it.
import { cpSync, existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Failure } from './workspace.mjs';

/** Of package.json, what is of use to the one who has the package: above all no scripts, and nothing that makes npm compile. */
const kept = [
  'name',
  'version',
  'description',
  'license',
  'author',
  'type',
  'main',
  'module',
  'exports',
  'imports',
];
const alsoKept = [
  'browser',
  'bin',
  'engines',
  'os',
  'cpu',
  'dependencies',
  'homepage',
  'repository',
  'binary',
];
/** What nobody runs: sources of what is built, type declarations, source maps, tests and what compiles a native module. */
const notCarried = /(?:\.map|\.d\.[cm]?ts|\.tsbuildinfo|(?:^|\/)binding\.gyp|\.gypi|\.md)$/i;
const notCarriedFolders = new Set([
  'node_modules',
  'test',
  'tests',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  '.github',
]);
/** Systems for which plugins' native modules travel. Others have no gateway. */
const platforms = /^(?:linux|darwin|win32)-/;

export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
export const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
export const pick = (from, keys) =>
  Object.fromEntries(keys.filter((key) => key in from).map((key) => [key, from[key]]));

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

/** Folders from this one up to the root in which a package for it may lie. */
function placesFor(folder, root) {
  if (folder === root) return [root];
  const [above] = folder.split(/\/node_modules\/(?!.*\/node_modules\/)/);
  return [folder, ...placesFor(above, root)];
}

/**
 * Copies packages with all that they depend on into one flat folder; one that is needed in another version lies below the package that
 * needs it. Returns the folders that they came from.
 */
export function carryPackages(wanted, root) {
  const carried = new Map();
  const at = (place, name) => join(place, 'node_modules', name);
  const edges = [];
  const queue = wanted.map(({ name, from }) => ({ name, from, by: root }));
  for (const edge of queue) {
    const { name, from, by } = edge;
    const folder = findPackage(name, from);
    edges.push({ name, by, folder });
    const places = placesFor(by, root);
    const nearest = places.findIndex((place) => carried.has(at(place, name)));
    if (nearest !== -1 && carried.get(at(places[nearest], name)) === folder) continue;
    // As far out as no other version is in the way.
    const place = (nearest === -1 ? places : places.slice(0, nearest)).at(-1);
    if (place === undefined) throw new Failure(`${by} needs two versions of ${name}.`);
    const target = at(place, name);
    carried.set(target, folder);
    const manifest = readJson(join(folder, 'package.json'));
    cpSync(folder, target, { recursive: true, dereference: true, filter: isCarried(folder) });
    writeJson(join(target, 'package.json'), pick(manifest, [...kept, ...alsoKept]));
    for (const needed of Object.keys(manifest.dependencies ?? {}))
      queue.push({ name: needed, from: folder, by: target });
  }
  // One that came later may have got in the way of one that was there.
  for (const { name, by, folder } of edges) {
    const found = placesFor(by, root).find((place) => carried.has(at(place, name)));
    if (carried.get(at(found, name)) !== folder)
      throw new Failure(`${relative(root, by)} would get the ${name} of ${found}, which is another version.`);
  }
  return new Set(carried.values());
}
