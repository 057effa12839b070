// The kit for authors of plugins, which the built gateway carries: our packages as archives, and the templates of a new project, so
// that a project can be made and built where no registry has our packages.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { hashOf, inRoot } from './workspace.mjs';

/** What a plugin may be made with. Every project needs these but the last, which is for drivers of serial lines. */
const carried = ['schemas', 'sdk', 'sdk/pluginkit', 'sdk/serial'];
const target = inRoot('host', 'dist', 'kit');
/** npm's date for files in archives: the same content gives the same bytes, whenever it is packed. */
const date = new Date('1985-10-26T08:15:00Z');
const notCopied = new Set(['node_modules', 'dist', '.dist', '.data']);

/** Paths of the files of a folder from it, sorted; those of dot folders too. */
function filesBelow(folder, skip = notCopied) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (skip.has(entry.name)) return [];
    if (!entry.isDirectory()) return [entry.name];
    return filesBelow(join(folder, entry.name), skip).map((file) => `${entry.name}/${file}`);
  });
}

/** The files of a package that are published, without templates, which lie beside, and source maps, which would double the size. */
function published(path, { files }) {
  const plain = files.filter((name) => !name.includes('*'));
  return plain
    .flatMap((name) => {
      if (!statSync(join(path, name)).isDirectory()) return [name];
      return filesBelow(join(path, name), new Set()).map((file) => `${name}/${file}`);
    })
    .filter((file) => !file.endsWith('.map'));
}

/**
 * package.json as it is in the kit. A project asks for all packages of ours by itself, from files; a dependency on one of them would
 * make npm look for it in a registry. The Node that a project brings is new enough, whatever npm runs on.
 */
function manifestInKit({ devDependencies: _, scripts: __, engines: ___, ...manifest }, versions) {
  const all = Object.entries(manifest.dependencies);
  const ours = all.filter(([name]) => versions.has(name)).map(([name]) => [name, versions.get(name)]);
  return {
    ...manifest,
    dependencies: Object.fromEntries(all.filter(([name]) => !versions.has(name))),
    peerDependencies: Object.fromEntries(ours),
  };
}

/** Packs a package into the kit, through a folder of its own, and returns the name of the archive. */
function pack({ path, manifest }, versions, work) {
  const root = join(work, 'package');
  mkdirSync(root, { recursive: true });
  writeFileSync(
    join(root, 'package.json'),
    `${JSON.stringify(manifestInKit(manifest, versions), undefined, 2)}\n`,
  );
  for (const file of published(path, manifest)) cpSync(join(path, file), join(root, file));
  cpSync(inRoot('LICENSE'), join(root, 'LICENSE'));
  const name = `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`;
  // Only now: on a fresh machine this file is read before anything is installed.
  const { create: createTar } = createRequire(inRoot('sdk', 'pluginkit', 'package.json'))('tar');
  createTar(
    {
      sync: true,
      file: join(target, 'packages', name),
      cwd: work,
      gzip: { level: 9 },
      portable: true,
      mtime: date,
    },
    filesBelow(root, new Set()).map((file) => `package/${file}`),
  );
  rmSync(work, { recursive: true });
  return name;
}

/** Packs what the gateway carries for authors into its build, unless that is there and up to date. */
export function packKit() {
  const packages = carried.map((folder) => ({
    path: inRoot(folder),
    manifest: JSON.parse(readFileSync(inRoot(folder, 'package.json'), 'utf8')),
  }));
  const templates = inRoot('sdk', 'pluginkit', 'templates');
  const files = [
    ...packages.flatMap(({ path, manifest }) => published(path, manifest).map((file) => join(path, file))),
    ...packages.map(({ path }) => join(path, 'package.json')),
    ...filesBelow(templates).map((file) => join(templates, file)),
    inRoot('LICENSE'),
    inRoot('.dev', 'kit.mjs'),
  ];
  const hash = hashOf(files);
  const stamp = join(target, 'made-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'packages'), { recursive: true });
  const versions = new Map(packages.map(({ manifest }) => [manifest.name, manifest.version]));
  const list = packages.map((one) => ({
    name: one.manifest.name,
    version: one.manifest.version,
    file: pack(one, versions, join(target, 'work')),
    needed: one.path !== inRoot('sdk', 'serial'),
  }));
  writeFileSync(join(target, 'packages.json'), `${JSON.stringify(list, undefined, 2)}\n`);
  for (const file of filesBelow(templates)) cpSync(join(templates, file), join(target, 'templates', file));
  for (const kind of readdirSync(join(target, 'templates')))
    cpSync(inRoot('LICENSE'), join(target, 'templates', kind, 'LICENSE'));
  writeFileSync(stamp, hash);
  console.log('Packed the kit for authors of plugins.');
}
