import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const pnpm = ['-y', '--prefer-offline', 'pnpm@12.21.0'];
/** The Node of the tests goes first: scripts of packages ask for `node`. */
const env = {
  ...process.env,
  NODE_OPTIONS: undefined,
  // Some tools would leave a cache in the temporary folder, unless another one is set.
  NODE_DISABLE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] === undefined ? '1' : undefined,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
};

/** Runs a command to its end and returns what it wrote; fails with that when it fails. */
export function command(cwd: string, file: string, ...args: string[]): Promise<string> {
  return commandWith({}, cwd, file, ...args);
}

/** The same with further variables in the environment. */
export async function commandWith(
  more: Readonly<Record<string, string>>,
  cwd: string,
  file: string,
  ...args: string[]
): Promise<string> {
  try {
    const { stdout } = await run(file, args, {
      cwd,
      env: { ...env, ...more },
      maxBuffer: 64 << 20,
      timeout: 300_000,
    });
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
