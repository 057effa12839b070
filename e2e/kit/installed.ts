import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { Gateway } from './gateway.ts';
import { command, commandWith } from './standalone.ts';

const root = join(import.meta.dirname, '../..');

/** The environment of a user who has nothing of this workspace: a home and a cache of its own, and no registry to ask. */
export function homeIn(folder: string): Record<string, string> {
  return {
    HOME: join(folder, 'home'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

/** A gateway that npm has installed from the package. */
export interface Installed {
  readonly archive: string;
  /** The command as it lies on the path. */
  readonly bin: string;
  /** The folder of the package. */
  readonly folder: string;
  /** The module that the command runs. */
  readonly main: string;
}

/** Makes the package and has npm install it, with an empty cache and no network, below a folder. */
export async function installPackage(folder: string): Promise<Installed> {
  const out = join(folder, 'out');
  await command(root, process.execPath, join(root, '.dev/run.mjs'), 'package', '--out', out);
  const [name = ''] = await readdir(out);
  const archive = join(out, name);
  await mkdir(join(folder, 'home'));
  await commandWith(homeIn(folder), folder, 'npm', 'install', '--global', archive);
  const installed = join(folder, 'prefix/lib/node_modules/tagway');
  return {
    archive,
    bin: join(folder, 'prefix/bin/tagway'),
    folder: installed,
    main: join(installed, 'host/dist/main.js'),
  };
}

/** How a command ended, whatever it was. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `tagway` of the workspace to its end. */
export function tagway(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
  return ended(process.execPath, [Gateway.main, ...args], env === undefined ? {} : { env });
}

/** Runs a command with the Node of a folder first on its path, or with that of the tests. */
export function ended(
  file: string,
  args: readonly string[],
  {
    node = dirname(process.execPath),
    env = {},
  }: { node?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const path = `${node}${delimiter}${process.env['PATH'] ?? ''}`;
  const options = {
    env: { ...process.env, NODE_OPTIONS: undefined, ...env, PATH: path },
    timeout: 60_000,
    maxBuffer: 64 << 20,
  };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
