// Builds the packages whose inputs changed since their last good build.
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packKit } from './kit.mjs';
import { pool, run } from './process.mjs';
import { renderPages } from './render-pages.mjs';
import {
  Failure,
  hashOf,
  inRoot,
  isStamped,
  listFiles,
  nodeBinary,
  readPackages,
  stampFile,
} from './workspace.mjs';

const tsup = inRoot('node_modules', 'tsup', 'dist', 'cli-default.js');

/** How a package is built, by the configuration that it has. */
const builders = {
  'tsup.config.ts': (staging) => [tsup, '--silent', '--out-dir', staging],
  'vite.config.ts': (staging, path) => [
    join(path, 'node_modules', 'vite', 'bin', 'vite.js'),
    ...['build', '--logLevel', 'error', '--emptyOutDir', '--outDir', staging],
  ],
};

const builderOf = ({ path }) =>
  Object.entries(builders).find(([config]) => existsSync(join(path, config)))?.[1];
const shared = ['pnpm-lock.yaml', '.dev/tsup.ts', '.dev/tsconfig.base.json'].map((name) => inRoot(name));

/** The package and every workspace package below it: all of them may end up in its bundle. */
function closure(pack, packages, seen = new Set()) {
  if (seen.has(pack)) return seen;
  seen.add(pack);
  for (const used of packages) if (pack.uses.includes(used.name)) closure(used, packages, seen);
  return seen;
}

/** The gateway shows its revision, so it is built anew after a commit. */
function commit() {
  return spawnSync('git', ['rev-parse', 'HEAD'], { cwd: inRoot(), encoding: 'utf8' }).stdout ?? '';
}

function outOfDate() {
  const packages = readPackages();
  return packages
    .filter((pack) => builderOf(pack) !== undefined)
    .map((pack) => {
      const files = [...closure(pack, packages)].flatMap(({ path }) => listFiles(path));
      const also = pack.folder === 'host' ? [commit()] : [];
      return { pack, stamp: stampFile(`build-${pack.folder}`), hash: hashOf([...shared, ...files], ...also) };
    })
    .filter(({ pack, stamp, hash }) => !existsSync(join(pack.path, 'dist')) || !isStamped(stamp, hash));
}

async function buildOne({ pack, stamp, hash }) {
  const begin = Date.now();
  rmSync(stamp, { force: true });
  // Built beside the last good output, which a gateway that runs may still need, and put in its place when complete.
  const staging = join(pack.path, '.dist');
  const args = builderOf(pack)(staging, pack.path);
  const { code, output } = await run(nodeBinary(), args, { cwd: pack.path, capture: true });
  if (code === 0) {
    rmSync(join(pack.path, 'dist'), { recursive: true, force: true });
    renameSync(staging, join(pack.path, 'dist'));
    writeFileSync(stamp, hash);
    console.log(`Built ${pack.folder} in ${((Date.now() - begin) / 1000).toFixed(1)} s.`);
  } else {
    process.stderr.write(output);
    console.error(`${pack.folder} could not be built; the lines above say why.`);
  }
  return code === 0;
}

export async function build() {
  const results = await pool(outOfDate(), 2, buildOne);
  if (results.includes(false)) throw new Failure('The build failed.');
  packKit();
  renderPages();
}
