import { hostname } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dialectNames, logLevels, dialects } from '@tagway/schemas';

import type { Config } from './gateway-config.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigError } from './config-error.ts';
import { networks } from './networks.ts';
import { otlpCompressions, otlpOf, otlpOptions } from './otlp-option.ts';
import { tlsOf } from './tls-option.ts';
import { kubernetes, unknownVariables, variableOf } from './variables.ts';
import { pairOf } from './pair-config.ts';
import { driftModes, sourceOf, sourceOptions } from './source-option.ts';
import { profileCommand, type ProfileCommand } from './profile-command.ts';
import {
  checkOptions,
  creation,
  fleetCommand,
  type FleetCommand,
  folderCommand,
  type FolderCommand,
  type GatewayAccess,
  pairCommand,
  ofCommands,
  type PairCommand,
  type PluginCommand,
  pluginChoices,
  pluginCommand,
  type Scalar,
  serviceCommand,
  type ServiceCommand,
} from './sub-commands.ts';

export { ConfigError } from './config-error.ts';
export type { Config } from './gateway-config.ts';
export type { PairConfig } from './pair-config.ts';
export type { SourceConfig } from './source-option.ts';
export type * from './profile-command.ts';
export type * from './sub-commands.ts';

export type Command =
  | { readonly run: 'gateway' | 'reset-password' | 'leave-pair'; readonly config: Config }
  | { readonly run: 'plugin'; readonly config: Config; readonly plugin: PluginCommand }
  | { readonly run: 'profile'; readonly config: Config; readonly profile: ProfileCommand }
  | { readonly run: 'config'; readonly config: Config; readonly folder: FolderCommand }
  | { readonly run: 'fleet'; readonly config: Config; readonly fleet: FleetCommand }
  | { readonly run: 'pair'; readonly config: Config; readonly pair: PairCommand }
  | { readonly run: 'backup'; readonly config: Config; readonly file: string; readonly force: boolean }
  | { readonly run: 'restore'; readonly config: Config; readonly file: string }
  | { readonly run: 'create'; readonly kind: 'driver' | 'app'; readonly folder: string }
  | { readonly run: 'doctor'; readonly config: Config }
  | { readonly run: 'service'; readonly service: ServiceCommand }
  | { readonly run: 'import'; readonly config: Config; readonly file: string; readonly access: GatewayAccess }
  | { readonly run: 'help' | 'version' };

const options = {
  data: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  config: { type: 'string' },
  'log-level': { type: 'string' },
  'log-print': { type: 'boolean' },
  'log-level-revert': { type: 'string' },
  'license-ca': { type: 'string' },
  'file-roots': { type: 'string' },
  'runner-memory': { type: 'string' },
  'runner-user': { type: 'string' },
  'body-limit': { type: 'string' },
  cors: { type: 'boolean' },
  'trusted-proxy': { type: 'string' },
  'admin-password': { type: 'string' },
  tls: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  compat: { type: 'string' },
  name: { type: 'string' },
  'disable-auth': { type: 'boolean' },
  inline: { type: 'boolean' },
  safe: { type: 'boolean' },
  'require-signature': { type: 'boolean' },
  'secrets-key': { type: 'string' },
  pair: { type: 'string' },
  'pair-id': { type: 'string' },
  'pair-ca': { type: 'string' },
  'pair-cert': { type: 'string' },
  'pair-key': { type: 'string' },
  'pair-url': { type: 'string' },
  ...sourceOptions,
  ...otlpOptions,
  url: { type: 'string' },
  ca: { type: 'string' },
  user: { type: 'string' },
  password: { type: 'string' },
  token: { type: 'string' },
  root: { type: 'string' },
  force: { type: 'boolean' },
  replaces: { type: 'string' },
  accept: { type: 'string' },
  registry: { type: 'string' },
  key: { type: 'string' },
  secrets: { type: 'string' },
  revision: { type: 'string' },
  vars: { type: 'string' },
  json: { type: 'boolean' },
  prerelease: { type: 'boolean' },
  'reset-password': { type: 'boolean' },
  'leave-pair': { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Name = keyof typeof options;

/** Options of the command line alone. */
const atOnce = ['reset-password', 'leave-pair', 'version', 'help'] as const;
const notInFile = ['config', ...Object.keys(ofCommands), ...atOnce];

/** The type of an option in the configuration file; undefined for a key that is none. */
function typeInFile(key: string): 'string' | 'boolean' | undefined {
  return Object.hasOwn(options, key) && !notInFile.includes(key) ? options[key as Name].type : undefined;
}

/** Reads the command line, the environment and the configuration file. Throws `ConfigError`. */
export function readCommand(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const { values: given, positionals: words } = parse(args);
  if (given['help']) return { run: 'help' };
  if (given['version']) return { run: 'version' };

  const created = creation(words);
  if (created !== undefined) return { run: 'create', ...created };

  const fromEnv = (name: Name): string | undefined => env[variableOf(name)];
  const file = given['config'] ?? fromEnv('config');
  if (file === '') throw new ConfigError('The name of the configuration file is empty.');
  const fromFile = file === undefined ? {} : readConfigFile(String(file), typeInFile);
  const value = (name: Name): Scalar | undefined => {
    const found = given[name] ?? fromEnv(name) ?? fromFile[name];
    if (found === '') throw new ConfigError(`${placeOf(name)} is empty. Leave it out, or give it a value.`);
    return found;
  };
  /** Where an option has its value from, to begin a sentence with. */
  const placeOf = (name: Name): string => {
    if (given[name] !== undefined) return `The option --${name}`;
    if (fromEnv(name) !== undefined) return `The variable ${variableOf(name)}`;
    return `The key "${name}" of the configuration file ${String(file)}`;
  };
  const text = (name: Name, otherwise: string): string => String(value(name) ?? otherwise);
  const flag = (name: Name): boolean => {
    const given = text(name, 'false');
    if (['true', '1'].includes(given)) return true;
    if (['false', '0'].includes(given)) return false;
    throw new ConfigError(
      `${placeOf(name)} is a switch: it takes 1 or true, 0 or false, and not "${given}".`,
    );
  };
  const count = (name: Name, otherwise: number, least: number, most: number): number => {
    const given = value(name) ?? otherwise;
    const number = Number(given);
    if (typeof given !== 'boolean' && Number.isInteger(number) && number >= least && number <= most)
      return number;
    throw new ConfigError(
      `${placeOf(name)} must be a whole number from ${least} to ${most}, not "${given}".${kubernetes(given)}`,
    );
  };

  const oneOf = <Choice extends string>(
    name: Name,
    choices: readonly Choice[],
    otherwise: Choice,
  ): Choice => {
    const given = text(name, otherwise);
    const choice = choices.find((one) => one === given);
    if (choice !== undefined) return choice;
    throw new ConfigError(`${placeOf(name)} must be one of ${choices.join(', ')}, not "${given}".`);
  };
  const compat = oneOf('compat', dialectNames, 'specification');
  const licenseCa = value('license-ca');
  const secretsKey = value('secrets-key');
  const adminPassword = value('admin-password');
  const tls = tlsOf(value('tls'), value('tls-cert'), value('tls-key'));
  const pair = pairOf((name) => textOf(value(name)));
  if (pair !== undefined && secretsKey === undefined)
    throw new ConfigError(
      'The option "pair" needs "secrets-key": both gateways of the pair read the same secrets.',
    );
  if (pair !== undefined && flag('inline'))
    throw new ConfigError(
      'The option "pair" goes without "inline": runners of drivers are ended when a gateway loses its lease.',
    );
  const source = sourceOf({
    text: (name) => textOf(value(name)),
    flag,
    count,
    drift: (otherwise) => oneOf('config-drift', driftModes, otherwise),
  });
  const otlp = otlpOf({
    text: (name) => textOf(value(name)),
    flag,
    count,
    compression: (otherwise) => oneOf('otlp-compression', otlpCompressions, otherwise),
  });
  const runnerUser = value('runner-user');
  for (const [name, isSet] of [
    ['inline', flag('inline')],
    ['pair', pair !== undefined],
  ] as const)
    if (runnerUser !== undefined && isSet)
      throw new ConfigError(
        `The option "runner-user" goes without "${name}": ${name === 'inline' ? 'there are no processes that could become another user' : 'the gateway of a pair counts on runners of its own user'}.`,
      );
  const config = {
    data: resolve(text('data', 'tagway-data')),
    host: text('host', '127.0.0.1'),
    port: count('port', 7000, 0, 65535),
    logLevel: oneOf('log-level', logLevels, 'notice'),
    safe: flag('safe'),
    runnerMemory: count('runner-memory', 256, 32, 65536),
    inline: flag('inline'),
    bodyLimit: count('body-limit', 16 << 20, 1024, 1 << 30),
    cors: flag('cors'),
    trustedProxies: networks(text('trusted-proxy', ''), placeOf('trusted-proxy')),
    compat,
    disableAuth: flag('disable-auth'),
    ...(tls === undefined ? {} : { tls }),
    ...(adminPassword === undefined ? {} : { adminPassword: String(adminPassword) }),
    ...(runnerUser === undefined ? {} : { runnerUser: String(runnerUser) }),
    ...(licenseCa === undefined ? {} : { licenseCa: resolve(String(licenseCa)) }),
    ...(otlp === undefined ? {} : { otlp }),
    ...(pair === undefined ? {} : { pair }),
    ...(source === undefined ? {} : { source }),
    ...(secretsKey === undefined ? {} : { secretsKey: resolve(String(secretsKey)) }),
    logLevelRevert: count('log-level-revert', dialects[compat].logLevelRevert, 0, 1_000_000),
    fileRoots: text('file-roots', '')
      .split(delimiter)
      .filter((path) => path !== '')
      .map((path) => resolve(path)),
    printLog: flag('log-print'),
    requireSignature: flag('require-signature'),
    name: text('name', hostname()),
    warnings: unknownVariables(env, Object.keys(options)),
  };
  const [command = '', subject = '', ...rest] = words;
  const access = (): GatewayAccess => ({
    url: textOf(value('url')),
    ca: textOf(value('ca')),
    user: text('user', 'admin'),
    password: textOf(value('password')),
    token: textOf(value('token')),
  });
  checkOptions(command, given);
  if (command === 'backup' || command === 'restore' || command === 'import') {
    if (subject === '' || rest.length > 0)
      throw new ConfigError(`The command is ${command} FILE, with one file.`);
    const file = resolve(subject);
    if (command === 'backup') return { run: command, config, file, force: given['force'] === true };
    return command === 'import'
      ? { run: command, config, file, access: access() }
      : { run: command, config, file };
  }
  if (command === 'doctor') {
    if (words.length > 1) throw new ConfigError('The command is doctor, without anything else but options.');
    return { run: command, config };
  }
  if (command === 'service') return { run: command, service: serviceCommand(words, given) };
  if (command === 'profile')
    return { run: command, config, profile: { ...profileCommand(words, given), ...access() } };
  if (command === 'config')
    return {
      run: command,
      config,
      folder: { ...folderCommand(words, given), secrets: textOf(value('secrets')), ...access() },
    };
  if (command === 'fleet')
    return { run: command, config, fleet: { ...fleetCommand(words, given), ...access() } };
  if (command === 'pair') return { run: command, config, pair: { ...pairCommand(words), ...access() } };
  if (words.length > 0) {
    return {
      run: 'plugin',
      config,
      plugin: { ...pluginCommand(words), ...pluginChoices(given), ...access() },
    };
  }
  if (given['leave-pair']) return { run: 'leave-pair', config };
  return { run: given['reset-password'] ? 'reset-password' : 'gateway', config };
}

function textOf(value: Scalar | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function parse(args: readonly string[]): {
  values: Partial<Record<string, string | boolean>>;
  positionals: string[];
} {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
