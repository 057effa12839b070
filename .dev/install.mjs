// Dependencies: one pinned pnpm through npx, and only when something that decides about node_modules has changed.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { run } from './process.mjs';
import { Failure, hashOf, inRoot, isStamped, nodeLauncher, readPackages, stampFile } from './workspace.mjs';

const pnpm = 'pnpm@12.21.0';
const args = ['-y', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'];
// A user's own configuration must not change what is installed: some skip install scripts (the `node` package needs
// its own) or development dependencies. The lockfile was checked when it was written and holds every package's hash.
const overrides = ['--prod=false', '--no-ignore-scripts', '--trust-lockfile'];

function wanted() {
  const manifests = readPackages().map(({ folder }) => inRoot(folder, 'package.json'));
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'].map((name) => inRoot(name));
  return hashOf([...files, ...manifests], pnpm, process.platform, process.arch);
}

const isCurrent = (hash) =>
  existsSync(nodeLauncher) &&
  existsSync(inRoot('node_modules', '.modules.yaml')) &&
  isStamped(stampFile('install'), hash);

export async function install() {
  const hash = wanted();
  if (isCurrent(hash)) return;
  console.log('Installing packages …');
  rmSync(stampFile('install'), { force: true });
  const { NODE_ENV, NODE_OPTIONS, ...env } = process.env;
  const { code, output } = await run('npx', [...args, ...overrides], {
    env: { ...env, CI: 'true' },
    capture: true,
  });
  if (code !== 0 || !existsSync(nodeLauncher)) {
    process.stderr.write(output);
    throw new Failure(
      'The packages could not be installed; the lines above say why. This step needs the npm registry.',
    );
  }
  writeFileSync(stampFile('install'), hash);
}
