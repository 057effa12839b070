import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, writeTypes } from './build.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { dev } from './dev.ts';
import { docs } from './docs.ts';
import { Failure, failOn } from './failure.ts';
import { readLibrary } from './library.ts';
import { pack } from './pack.ts';
import { publish } from './publish.ts';
import { checkPublished } from './published.ts';
import { test } from './test.ts';
import own from '../package.json' with { type: 'json' };

const help = `Usage: pluginkit <command>   (in the folder of a plugin, or with --folder)

  create driver|app FOLDER   makes a plugin that works, to be changed
  types                      types from the settings schema
  build                      the same, and one bundle
  check                      what a gateway would refuse
       --published NAME      of a package in your registry, as NAME or NAME@VERSION
       --key FILE            whose signature it must have (PEM, public or private)
  test [mocha arguments]     builds, and runs the tests against the bundle
  docs                       the tables of README.md from plugin.json and the settings
       --check               changes nothing, and fails when they are stale
  pack                       makes the archive that is installed
       --out FOLDER          where; default is the plugin's folder
       --key FILE            signs it with an Ed25519 private key (PEM)
  publish [-- npm arguments] checks, tests, packs, and has npm publish the archive
       --key FILE            signs the package with an Ed25519 private key (PEM)
  dev                        installs the plugin on a gateway after every change
       --gateway URL         for example http://127.0.0.1:7000
       --user, --password    default: admin, and TAGWAY_PASSWORD of the environment
       --inspect PORT        lets a debugger attach to the plugin's process at this port
`;

const options = {
  folder: { type: 'string', default: '.' },
  out: { type: 'string' },
  key: { type: 'string' },
  gateway: { type: 'string' },
  user: { type: 'string', default: 'admin' },
  password: { type: 'string' },
  check: { type: 'boolean', default: false },
  published: { type: 'string' },
  inspect: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/** Runs one command and returns the exit code. */
export async function run(
  args: readonly string[],
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  // The arguments after "test" are for mocha.
  if (args[0] === 'test') {
    await build(process.cwd());
    return test(process.cwd(), args.slice(1));
  }
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  const folder = resolve(values.folder);
  if (values.version) return say(print, own.version);
  if (values.help || command === undefined) return say(print, help);
  switch (command) {
    case 'create': {
      const [kind, path] = rest;
      if ((kind !== 'driver' && kind !== 'app') || path === undefined)
        throw new Failure('Say what to create and where: pluginkit create driver my-driver');
      const made = create(kind, path);
      return say(print, `Made ${made}. Next: cd ${path} && npm install && npm test`);
    }
    case 'build':
      await build(folder);
      return say(print, 'Built.');
    case 'types':
      await writeTypes(readLibrary(folder));
      return say(print, 'The types of the settings are written.');
    case 'docs':
      docs(folder, values.check);
      return say(print, 'The tables of README.md are up to date.');
    case 'check':
      if (values.published !== undefined) await checkPublished(values.published, values.key, print);
      else failOn(await check(folder));
      return say(print, 'Nothing is wrong.');
    case 'publish':
      await publish(folder, { key: values.key, npm: rest }, print);
      return 0;
    case 'pack': {
      const packed = await pack(folder, {
        ...(values.out !== undefined && { out: resolve(values.out) }),
        ...(values.key !== undefined && { key: values.key }),
      });
      return say(
        print,
        `Packed ${basename(packed.file)}${packed.signature === undefined ? '' : ' and signed it'}.`,
      );
    }
    case 'dev': {
      const { gateway: url, user, password = process.env.TAGWAY_PASSWORD } = values;
      if (url === undefined || password === undefined)
        throw new Failure('Say which gateway: --gateway URL, and the password of its user.');
      await dev(folder, { url, user, password }, print, signal, portOf(values.inspect));
      return 0;
    }
    default:
      throw new Failure(`There is no command "${command}".\n\n${help}`);
  }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new Failure(`--inspect takes a port from 1 to 65535, and not "${text}".`);
}

function parse(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
}

function say(print: (line: string) => void, line: string): number {
  print(line);
  return 0;
}
