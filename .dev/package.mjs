// `npm run package`: the built gateway as one archive that npm installs without a registry, a compiler or a script.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sbomOf } from './sbom.mjs';
import { carryPackages, createArchive, filesBelow, pick, writeJson } from './carry.mjs';
import { readPages, withoutForeignLinks } from './pages.mjs';
import { noticesOf, thirdParty } from './third-party.mjs';
import { Failure, inRoot, readJson } from './workspace.mjs';

/** What a package.json of ours says in the archive. */
const identity = ['name', 'version', 'description', 'license', 'type', 'engines'];

const withoutMaps = (file) => !file.endsWith('.map');

function stageGateway(root) {
  const folders = ['host/dist', 'host/dashboard/screens', 'plugins/profiles', 'deploy', 'docs'];
  const files = ['host/LICENSING.md', 'CHANGELOG.md', 'LICENSE', 'README.md'];
  for (const part of [...folders, ...files])
    cpSync(inRoot(part), join(root, part), { recursive: true, filter: withoutMaps });
  const page = inRoot('host', 'dashboard', 'dist');
  if (!existsSync(join(page, 'index.html'))) throw new Failure('The web page is not built.');
  cpSync(page, join(root, 'host', 'dashboard', 'dist'), {
    recursive: true,
    filter: (file) => withoutMaps(file) && basename(file) !== '.vite',
  });
}

/** The plugins, and the packages that stay outside of their bundles. */
function stagePlugins(root) {
  const folders = readdirSync(inRoot('plugins')).filter((name) =>
    existsSync(inRoot('plugins', name, 'plugin.json')),
  );
  for (const name of folders) {
    const target = join(root, 'plugins', name);
    const manifest = readJson(inRoot('plugins', name, 'package.json'));
    for (const file of manifest.files)
      cpSync(inRoot('plugins', name, file), join(target, file), { recursive: true, filter: withoutMaps });
    writeJson(join(target, 'package.json'), pick(manifest, identity));
  }
  return folders;
}

/** The part of the SDK that runs plugins; the host starts it as a process of its own, by this name. */
function stageRunner(root) {
  const target = join(root, 'node_modules', '@tagway', 'sdk');
  const manifest = readJson(inRoot('sdk', 'package.json'));
  cpSync(inRoot('sdk', 'dist'), join(target, 'dist'), {
    recursive: true,
    filter: (file) => withoutMaps(file) && !file.endsWith('.d.ts'),
  });
  const exports = Object.entries(manifest.exports).map(([name, { default: file }]) => [name, file]);
  const ours = { ...pick(manifest, identity), exports: Object.fromEntries(exports) };
  writeJson(join(target, 'package.json'), ours);
  return manifest;
}

/** The pages link to nothing that is not in the archive. */
function keepLinks(root) {
  const isThere = (path) => existsSync(join(root, path));
  for (const page of readPages(root)) {
    const file = join(root, page);
    writeFileSync(file, withoutForeignLinks(page, readFileSync(file, 'utf8'), isThere));
  }
}

/** Packs the built gateway. Returns the path of the archive, and how many packages of others it holds. */
async function packGateway(out) {
  const work = mkdtempSync(join(tmpdir(), 'tagway-package-'));
  const root = join(work, 'package');
  try {
    const host = readJson(inRoot('host', 'package.json'));
    stageGateway(root);
    const plugins = stagePlugins(root);
    const sdk = stageRunner(root);
    const wanted = plugins.flatMap((plugin) => {
      const from = inRoot('plugins', plugin);
      const { tagway, dependencies = {} } = readJson(join(from, 'package.json'));
      return (tagway?.external ?? []).map((name) => ({ name, version: dependencies[name], from }));
    });
    const shipped = carryPackages(wanted, root);
    const manifest = {
      ...pick(host, ['version', 'license', 'type', 'engines']),
      name: 'tagway',
      description: readJson(inRoot('package.json')).description,
      bin: { tagway: 'host/dist/main.js' },
      dependencies: {
        ...Object.fromEntries(wanted.map(({ name, version }) => [name, version])),
        [sdk.name]: sdk.version,
      },
    };
    const bundleDependencies = Object.keys(manifest.dependencies);
    writeJson(join(root, 'package.json'), { ...manifest, bundleDependencies });
    const built = ['host', 'sdk', 'sdk/pluginkit', ...plugins.map((name) => `plugins/${name}`)];
    keepLinks(root);
    const packages = thirdParty({
      shipped,
      bundles: built.map((folder) => [folder, inRoot(folder, 'dist')]),
      page: inRoot('host', 'dashboard', 'dist', '.vite', 'license.json'),
    });
    writeFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), noticesOf(packages));
    writeFileSync(join(root, 'sbom.cdx.json'), await sbomOf(manifest, packages));
    mkdirSync(out, { recursive: true });
    const file = join(out, `tagway-${host.version}.tgz`);
    createArchive(file, work, filesBelow(work));
    return { file, packages: packages.length };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function outOf(args) {
  try {
    return parseArgs({ args, options: { out: { type: 'string', default: '.' } } }).values.out;
  } catch (error) {
    throw new Failure(`${error.message} The command is: npm run package -- --out DIR`);
  }
}

export async function makePackage(args) {
  const { file, packages } = await packGateway(resolve(outOf(args)));
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  console.log(`${file} has ${megabytes} MB and holds ${packages} packages of others.`);
  console.log(`Install it with: npm install -g ${file}`);
  return 0;
}
