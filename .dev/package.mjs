// `npm run package`: the built gateway as one archive that npm installs without a registry, a compiler or a script.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sbomOf } from './sbom.mjs';
import { carryPackages, pick, readJson, writeJson } from './carry.mjs';
import { noticesOf, thirdParty } from './third-party.mjs';
import { Failure, inRoot } from './workspace.mjs';

/** npm's date for files in archives: the same content gives the same bytes, whenever it is packed. */
const date = new Date('1985-10-26T08:15:00Z');
const withoutMaps = (file) => !file.endsWith('.map');

function stageGateway(root) {
  for (const part of ['host/dist', 'deploy', 'LICENSE', 'README.md'])
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
    writeJson(
      join(target, 'package.json'),
      pick(manifest, ['name', 'version', 'description', 'license', 'type', 'engines']),
    );
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
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, { default: file }]) => [name, file]),
  );
  writeJson(join(target, 'package.json'), {
    ...pick(manifest, ['name', 'version', 'description', 'license', 'type', 'engines']),
    exports,
  });
  return manifest;
}

function pack(work, file) {
  const { create } = createRequire(inRoot('sdk', 'pluginkit', 'package.json'))('tar');
  const files = readdirSync(join(work, 'package'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(work, join(entry.parentPath, entry.name)))
    .sort();
  create({ sync: true, file, cwd: work, gzip: { level: 9 }, portable: true, mtime: date }, files);
}

/** Packs the built gateway. Returns the path of the archive. */
async function packGateway(out) {
  const work = mkdtempSync(join(tmpdir(), 'tagway-package-'));
  const root = join(work, 'package');
  try {
    const host = readJson(inRoot('host', 'package.json'));
    stageGateway(root);
    const plugins = stagePlugins(root);
    const sdk = stageRunner(root);
    const outside = (folder) => {
      const { tagway, dependencies = {} } = readJson(inRoot(folder, 'package.json'));
      return (tagway?.external ?? []).map((name) => ({
        name,
        version: dependencies[name],
        from: inRoot(folder),
      }));
    };
    const wanted = plugins.flatMap((name) => outside(`plugins/${name}`));
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
    writeJson(join(root, 'package.json'), {
      ...manifest,
      bundleDependencies: Object.keys(manifest.dependencies),
    });
    const built = ['host', 'sdk', 'sdk/pluginkit', ...plugins.map((name) => `plugins/${name}`)];
    const packages = thirdParty({
      shipped,
      bundles: built.map((folder) => [folder, inRoot(folder, 'dist')]),
      page: inRoot('host', 'dashboard', 'dist', '.vite', 'license.json'),
    });
    writeFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), noticesOf(packages));
    writeFileSync(join(root, 'sbom.cdx.json'), await sbomOf(manifest, packages));
    mkdirSync(out, { recursive: true });
    const file = join(out, `tagway-${host.version}.tgz`);
    pack(work, file);
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
