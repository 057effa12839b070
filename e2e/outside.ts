import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const pnpm = ['-y', '--prefer-offline', 'pnpm@12.21.0'];
/** The Node of the tests goes first: scripts of packages ask for `node`. */
const env = {
  ...process.env,
  NODE_OPTIONS: undefined,
  // Some tools would leave a cache in the temporary folder.
  NODE_DISABLE_COMPILE_CACHE: '1',
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
};

/** Runs a command to its end and returns what it wrote; fails with that when it fails. */
export async function command(cwd: string, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(file, args, { cwd, env, maxBuffer: 64 << 20, timeout: 300_000 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`.slice(-8000), {
      cause: error,
    });
  }
}

/** A folder outside the repository. */
export async function emptyFolder(): Promise<string> {
  // The path without links: Node runs a module from there, and another path to it would be another module.
  return realpath(await mkdtemp(join(tmpdir(), 'tagway-outside-')));
}

export function removeFolder(folder: string | undefined): Promise<void> {
  return folder === undefined ? Promise.resolve() : rm(folder, { recursive: true, force: true });
}

/**
 * Copies the built gateway with its npm dependencies, and nothing of the workspace. Returns its main module. The versions
 * are those of the lockfile, so that pnpm asks no registry what there is: the packages lie in its store since the install.
 */
export async function deployGateway(folder: string): Promise<string> {
  const target = join(folder, 'gateway', 'host');
  await command(
    root,
    'npx',
    ...pnpm,
    ...['--filter', '@tagway/host', '--config.inject-workspace-packages=true', 'deploy'],
    ...['--prod', '--prefer-offline', '--trust-lockfile', target],
  );
  return join(target, 'dist', 'main.js');
}

/** The packages that a plugin's author installs, in the order in which they depend on each other. */
const published = ['schemas', 'sdk', 'sdk/pluginkit'] as const;

/**
 * Makes a folder `node_modules` with our published packages, unpacked from the archives that would be published, and links to the npm
 * packages that they and a new plugin ask for, so that nothing has to be fetched. Returns its path.
 */
export async function installKit(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of published) {
    const source = join(root, name);
    await command(source, 'npx', ...pnpm, 'pack', '--pack-destination', folder);
    const { name: full, dependencies } = await readPackage(source);
    const target = join(modules, full);
    await mkdir(target, { recursive: true });
    const archive = (await readdir(folder)).find((file) =>
      file.startsWith(`${full.slice(1).replace('/', '-')}-`),
    );
    await command(folder, 'tar', '-xzf', archive ?? '', '-C', target, '--strip-components=1');
    for (const dependency of Object.keys(dependencies)) await link(modules, source, dependency);
  }
  for (const dependency of ['@types/node', 'typescript']) await link(modules, root, dependency);
  await symlink('../@tagway/pluginkit/dist/main.js', join(modules, '.bin', 'pluginkit'));
  await symlink('../typescript/bin/tsc', join(modules, '.bin', 'tsc'));
  return modules;
}

async function readPackage(folder: string): Promise<{ name: string; dependencies: Record<string, string> }> {
  const { name, dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  return { name, dependencies };
}

/** A package of ours is there already, from its archive. */
async function link(modules: string, from: string, name: string): Promise<void> {
  if (name.startsWith('@tagway/')) return;
  const path = join(modules, name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(await realpath(join(from, 'node_modules', name)), path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

/** Installs an archive over HTTP as a client elsewhere does. */
export async function archiveBody(file: string): Promise<{ library: string; file: string }> {
  return { library: file.slice(file.lastIndexOf('/') + 1), file: (await readFile(file)).toString('base64') };
}
