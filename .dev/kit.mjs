// The kit for authors of plugins, which the built gateway carries: our packages as archives, and the templates of a new project, so
// that a project can be made and built where no registry has our packages.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createArchive, filesBelow, writeJson } from './carry.mjs';
import { withoutForeignLinks } from './pages.mjs';
import { hashOf, inRoot, isStamped, readJson } from './workspace.mjs';

/** What a plugin may be made with. Every project needs these but the last, which is for drivers of serial lines. */
const carried = ['schemas', 'sdk', 'sdk/pluginkit', 'sdk/serial'];
const target = inRoot('host', 'dist', 'kit');
const notCopied = ['node_modules', 'dist', '.dist', '.data'];

/** The files of a package that are published, without templates, which lie beside, and source maps, which would double the size. */
function published(path, { files }) {
  const plain = files.filter((name) => !name.includes('*'));
  return plain
    .flatMap((name) => {
      if (!statSync(join(path, name)).isDirectory()) return [name];
      return filesBelow(join(path, name)).map((file) => `${name}/${file}`);
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
  writeJson(join(root, 'package.json'), manifestInKit(manifest, versions));
  for (const file of published(path, manifest)) cpSync(join(path, file), join(root, file));
  cpSync(inRoot('LICENSE'), join(root, 'LICENSE'));
  const name = `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`;
  createArchive(join(target, 'packages', name), work, filesBelow(work));
  rmSync(work, { recursive: true });
  return name;
}

/** The guide for authors, which travels with every project: its pages, without the links to others. */
const guide = 'docs/plugins';
const guidePages = () => readdirSync(inRoot(guide)).filter((name) => name.endsWith('.md'));

function copyGuide() {
  const pages = new Set(guidePages().map((name) => `${guide}/${name}`));
  mkdirSync(join(target, 'guide'));
  for (const name of guidePages()) {
    const page = `${guide}/${name}`;
    const text = readFileSync(inRoot(page), 'utf8');
    writeFileSync(
      join(target, 'guide', name),
      withoutForeignLinks(page, text, (path) => pages.has(path)),
    );
  }
}

/** Packs what the gateway carries for authors into its build, unless that is there and up to date. */
export function packKit() {
  const packages = carried.map((folder) => ({
    path: inRoot(folder),
    manifest: readJson(inRoot(folder, 'package.json')),
  }));
  const templates = inRoot('sdk', 'pluginkit', 'templates');
  const templateFiles = filesBelow(templates, notCopied);
  const files = [
    ...packages.flatMap(({ path, manifest }) => published(path, manifest).map((file) => join(path, file))),
    ...packages.map(({ path }) => join(path, 'package.json')),
    ...templateFiles.map((file) => join(templates, file)),
    inRoot('LICENSE'),
    ...guidePages().map((name) => inRoot(guide, name)),
    inRoot('.dev', 'kit.mjs'),
    inRoot('.dev', 'pages.mjs'),
    inRoot('.dev', 'carry.mjs'),
  ];
  const hash = hashOf(files);
  const stamp = join(target, 'made-from');
  if (isStamped(stamp, hash)) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, 'packages'), { recursive: true });
  const versions = new Map(packages.map(({ manifest }) => [manifest.name, manifest.version]));
  const list = packages.map((one) => ({
    name: one.manifest.name,
    version: one.manifest.version,
    file: pack(one, versions, join(target, 'work')),
    needed: one.path !== inRoot('sdk', 'serial'),
  }));
  writeJson(join(target, 'packages.json'), list);
  for (const file of templateFiles) cpSync(join(templates, file), join(target, 'templates', file));
  for (const kind of readdirSync(join(target, 'templates')))
    cpSync(inRoot('LICENSE'), join(target, 'templates', kind, 'LICENSE'));
  copyGuide();
  writeFileSync(stamp, hash);
  console.log('Packed the kit for authors of plugins.');
}
