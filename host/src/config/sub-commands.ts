import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './config-error.ts';
import { otlpFiles } from './otlp-option.ts';
import { sourceFiles } from './source-option.ts';

/** The value of an option. */
export type Scalar = string | number | boolean;

/** How a command reaches the gateway that runs. */
export interface GatewayAccess {
  /** Undefined for the gateway that runs on the data folder, if one does. */
  readonly url: string | undefined;
  /** PEM file of the authorities that sign the certificate of a gateway that is asked over HTTPS. */
  readonly ca: string | undefined;
  readonly user: string;
  readonly password: string | undefined;
  /** Instead of user and password. */
  readonly token: string | undefined;
}

/** What is to be done with the libraries of users. */
export interface PluginCommand extends GatewayAccess, PluginWork, PluginChoices {}

/** What is to be copied into the folder of a mirror. */
export interface MirrorWork {
  readonly folder: string;
  readonly packages: readonly { readonly name: string; readonly version?: string | undefined }[];
  /** Path of the private key that signs the index. */
  readonly key?: string | undefined;
}

/** What a command asks for. */
export interface PluginWork {
  readonly action: FolderAction | DirectoryAction;
  /** Path of an archive, name of a plugin or of a package, or words; empty for a list, and for all. */
  readonly subject: string;
  /** Of a package. */
  readonly version?: string;
  /** Of `mirror`, whose subject is the folder. */
  readonly packages?: MirrorWork['packages'];
}

/** What the options of a command say of packages. */
export interface PluginChoices {
  /** Versions before a release count, too. */
  readonly prerelease: boolean;
  /** Id of the plugin from elsewhere whose place a package may take. */
  readonly replaces?: string;
  readonly accepts: readonly (typeof cautionKinds)[number][];
  /** Address of the only registry that is asked. */
  readonly registry?: string;
  /** Path of the key that signs a mirror. */
  readonly key?: string;
}

type FolderAction = 'install' | 'list' | 'remove' | 'mirror';
export type DirectoryAction = 'search' | 'info' | 'install-package' | 'outdated' | 'update';
const cautionKinds = ['publisher', 'repository', 'attestation', 'name'] as const;

/** What is to be done with a configuration folder. */
export interface FolderCommand extends GatewayAccess, FolderWork {
  /** The folder with a file for each secret. */
  readonly secrets: string | undefined;
}

/** What a command asks for. */
export interface FolderWork {
  readonly action: (typeof folderActions)[number];
  readonly folder: string;
  /** A plan is for machines. */
  readonly json: boolean;
  /** The configuration has to be the one of a plan. */
  readonly revision: string | undefined;
  /** The file of variables in the folder. */
  readonly vars: string | undefined;
}

const folderActions = ['export', 'check', 'plan', 'apply', 'diff'] as const;

export function folderCommand(
  [, action, folder, ...rest]: readonly string[],
  { json, revision, vars }: Readonly<Partial<Record<string, Scalar>>>,
): FolderWork {
  const known = folderActions.find((one) => one === action);
  if (known === undefined || folder === undefined || folder === '' || rest.length > 0)
    throw new ConfigError(`The command is config ${folderActions.join('|')} DIR, with one folder.`);
  if (json !== undefined && known !== 'plan')
    throw new ConfigError('The option --json is for config plan alone.');
  if (revision !== undefined && known !== 'apply')
    throw new ConfigError('The option --revision is for config apply alone.');
  return {
    action: known,
    folder: resolve(folder),
    json: json === true,
    revision: revision === undefined ? undefined : String(revision),
    vars: vars === undefined ? undefined : String(vars),
  };
}

/** Options of the command line alone, and the commands that they are for. */
export const ofCommands: Readonly<Record<string, readonly string[]>> = {
  force: ['backup'],
  root: ['service'],
  json: ['config', 'fleet'],
  secrets: ['config'],
  revision: ['config'],
  vars: ['config'],
  replaces: ['plugin', 'profile'],
  accept: ['plugin', 'profile'],
  registry: ['plugin', 'profile'],
  prerelease: ['plugin'],
  key: ['plugin'],
};

/** Throws `ConfigError` when an option was given that is for another command. */
export function checkOptions(command: string, given: Readonly<Partial<Record<string, Scalar>>>): void {
  for (const [name, commands] of Object.entries(ofCommands)) {
    if (given[name] === undefined || commands.includes(command)) continue;
    const only = commands.map((one) => `tagway ${one}`).join(' and ');
    throw new ConfigError(`The option --${name} is for ${only}${commands.length === 1 ? ' alone' : ''}.`);
  }
}

export function fleetCommand(
  { length }: readonly string[],
  { json }: Readonly<Partial<Record<string, Scalar>>>,
): Pick<FleetCommand, 'json'> {
  if (length > 1) throw new ConfigError('The command is fleet, without anything else but options.');
  return { json: json === true };
}

/** The gateways of the fleet are to be listed. */
export interface FleetCommand extends GatewayAccess {
  /** For machines. */
  readonly json: boolean;
}

/** What is to be done with the pair that a gateway belongs to. */
export interface PairCommand extends GatewayAccess {
  readonly action: (typeof pairActions)[number];
}

const pairActions = ['status', 'switch'] as const;

export function pairCommand([, action, ...rest]: readonly string[]): Pick<PairCommand, 'action'> {
  const known = pairActions.find((one) => one === action);
  if (known === undefined || rest.length > 0)
    throw new ConfigError('The command is pair status or pair switch.');
  return { action: known };
}

const serviceActions = ['install', 'uninstall', 'status'] as const;

/** What is to be done with the service of systemd. */
export interface ServiceCommand {
  readonly action: (typeof serviceActions)[number];
  /** Absolute path of the folder that stands for `/`. */
  readonly root: string;
  /** The options of the gateway that the command line has. */
  readonly options: Readonly<Record<string, Scalar>>;
  readonly adminPassword?: string;
}

/** The project of a plugin that is to be made. */
export interface Created {
  readonly kind: 'driver' | 'app';
  readonly folder: string;
}

/** The command that makes a project; it needs no gateway and no data folder. */
export function creation([command, action, kind, folder, ...rest]: readonly string[]): Created | undefined {
  if (command !== 'plugin' || action !== 'create') return undefined;
  if ((kind !== 'driver' && kind !== 'app') || folder === undefined || rest.length > 0)
    throw new ConfigError('The command is plugin create driver NAME or plugin create app NAME.');
  return { kind, folder: resolve(folder) };
}

export function pluginCommand([command, action, ...subjects]: readonly string[]): PluginWork {
  if (command !== 'plugin') throw new ConfigError(`There is no command "${command ?? ''}".`);
  const [subject = '', ...rest] = subjects;
  const isOne = subject !== '' && rest.length === 0;
  if (action === 'search' && subjects.length > 0) return { action, subject: subjects.join(' ') };
  if (action === 'list' || action === 'outdated') {
    if (subjects.length === 0) return { action, subject: '' };
  } else if (action === 'install' && isOne) {
    return isFile(subject) ? { action, subject } : { action: 'install-package', ...packageOf(subject) };
  } else if (action === 'info' && isOne) return { action, ...packageOf(subject) };
  else if (action === 'remove' && isOne) return { action, subject };
  else if (action === 'mirror' && rest.length > 0)
    return { action, subject: resolve(subject), packages: rest.map(mirrored) };
  else if (action === 'update' && rest.length === 0) return { action, subject };
  throw new ConfigError(
    'The command is plugin search WORDS, info NAME, install FILE|NAME[@VERSION], outdated, update [NAME], mirror DIR NAME[@VERSION]…, list, ' +
      'remove NAME or create driver|app NAME.',
  );
}

/** An archive of a package, and not its name. */
export function isFile(subject: string): boolean {
  return subject.endsWith('.tgz') || /^[./]/.test(subject);
}

export function packageOf(subject: string): { readonly subject: string; readonly version?: string } {
  const at = subject.indexOf('@', 1);
  return at < 0 ? { subject } : { subject: subject.slice(0, at), version: subject.slice(at + 1) };
}

function mirrored(subject: string): MirrorWork['packages'][number] {
  const { subject: name, version } = packageOf(subject);
  return { name, version };
}

/** A path is the folder of a mirror. Throws `ConfigError`. */
function registryOf(given: string): string {
  if (/^https?:/.test(given) && URL.canParse(given)) return given;
  const path = given.replace(/^file:(?:\/\/(?=\/))?/, '');
  if (path === given && !/^[./]/.test(given))
    throw new ConfigError(
      `The option --registry takes an address of http or https, or the folder of a mirror such as file:DIR, and not "${given}".`,
    );
  return pathToFileURL(resolve(path)).href;
}

export function pluginChoices({
  replaces,
  accept = '',
  prerelease = false,
  registry,
  key,
}: Readonly<Partial<Record<string, Scalar>>>): PluginChoices {
  const accepts = String(accept)
    .split(',')
    .filter((one) => one !== '')
    .map((one) => {
      const known = cautionKinds.find((kind) => kind === one);
      if (known === undefined)
        throw new ConfigError(
          `The option --accept takes ${cautionKinds.join(', ')}, with commas between them, and not "${one}".`,
        );
      return known;
    });
  return {
    prerelease: prerelease === true,
    accepts,
    ...(replaces !== undefined && { replaces: String(replaces) }),
    ...(registry !== undefined && { registry: registryOf(String(registry)) }),
    ...(key !== undefined && { key: resolve(String(key)) }),
  };
}

/** Options that the service sets itself, or that are for other commands. */
const notInService: ReadonlySet<string> = new Set([
  ...['data', 'config', 'reset-password', 'leave-pair', 'safe', 'url', 'ca', 'user', 'password'],
]);
/** Options of the service that name files: they become absolute, because the service starts in another folder. */
const fileOptions: ReadonlySet<string> = new Set([
  ...['license-ca', 'secrets-key', 'tls-cert', 'tls-key', 'pair-ca', 'pair-cert', 'pair-key'],
  ...otlpFiles,
  ...sourceFiles,
]);

/** Whether a value is the path of a source that is a folder. */
function isFolderOf(name: string, value: string): boolean {
  return name === 'config-source' && !/^[a-z+]+:/.test(value);
}

export function serviceCommand(
  [, action, ...rest]: readonly string[],
  given: Readonly<Partial<Record<string, Scalar>>>,
): ServiceCommand {
  const known = serviceActions.find((one) => one === action);
  if (known === undefined || rest.length > 0)
    throw new ConfigError('The command is service install, service uninstall or service status.');
  const { root = '/', 'admin-password': adminPassword, ...others } = given;
  const foreign = Object.keys(others).filter((name) => notInService.has(name) || known !== 'install');
  if (foreign.length > 0)
    throw new ConfigError(
      `The option --${foreign[0] ?? ''} is not for service ${known}. ${known === 'install' ? 'The service has its own data folder and configuration file.' : ''}`.trim(),
    );
  const options = Object.entries(others).map(([name, value = '']) => [
    name,
    fileOptions.has(name) || isFolderOf(name, String(value)) ? resolve(String(value)) : value,
  ]);
  return {
    action: known,
    root: resolve(String(root)),
    options: Object.fromEntries(options) as Record<string, Scalar>,
    ...(adminPassword !== undefined && { adminPassword: String(adminPassword) }),
  };
}
