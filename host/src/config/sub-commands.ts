import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

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
}

/** What is to be done with the libraries of users. */
export interface PluginCommand extends GatewayAccess {
  readonly action: PluginAction;
  /** Path of an archive, or name of a plugin; empty for a list. */
  readonly subject: string;
}

const pluginActions = ['install', 'list', 'remove'] as const;
export type PluginAction = (typeof pluginActions)[number];

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

export function pluginCommand([command, action, subject = '', ...rest]: readonly string[]): Pick<
  PluginCommand,
  'action' | 'subject'
> {
  const known = pluginActions.find((one) => one === action);
  const isWhole = (known === 'list') === (subject === '') && rest.length === 0;
  if (command !== 'plugin') throw new ConfigError(`There is no command "${command ?? ''}".`);
  if (known === undefined || !isWhole)
    throw new ConfigError(
      'The command is plugin install FILE, plugin list, plugin remove NAME or plugin create driver|app NAME.',
    );
  return { action: known, subject };
}

/** Options that the service sets itself, or that are for other commands. */
const notInService: ReadonlySet<string> = new Set([
  ...['data', 'config', 'reset-password', 'safe', 'url', 'ca', 'user', 'password'],
]);
/** Options of the service that name files: they become absolute, because the service starts in another folder. */
const fileOptions: ReadonlySet<string> = new Set([
  ...['license-ca', 'secrets-key', 'tls-cert', 'tls-key', 'pair-ca', 'pair-cert', 'pair-key'],
]);

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
    fileOptions.has(name) ? resolve(String(value)) : value,
  ]);
  return {
    action: known,
    root: resolve(String(root)),
    options: Object.fromEntries(options) as Record<string, Scalar>,
    ...(adminPassword !== undefined && { adminPassword: String(adminPassword) }),
  };
}
