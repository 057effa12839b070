import { isIP } from 'node:net';
import { ErrorCode, Fault, type ListeningPlace } from '@tagway/sdk';

export const SecurityModes = { SIGN: 0, ENCRYPT: 1 } as const;
export const Trust = { LISTED: 0, ANY: 1 } as const;
export const CertificateUsers = { NONE: 0, READ: 1, WRITE: 2 } as const;

/** A node's settings, with the schema's defaults filled in: see settings.schema.json. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Names with commas between them. */
  readonly hosts?: string;
  readonly security_mode: number;
  readonly unsecured: boolean;
  readonly trust: number;
  readonly anonymous: boolean;
  readonly users: boolean;
  readonly certificate_users: number;
  readonly folder: string;
  readonly namespace: string;
  readonly application_uri?: string;
  readonly max_sessions: number;
  readonly max_subscriptions: number;
  readonly max_items: number;
}

/** Parameters of a subscription. */
export interface Params extends Record<string, unknown> {
  /** Folders with slashes between them, in the place of driver and group. */
  readonly path?: string;
  /** Browse names of the tags: `{driver}`, `{group}` and `{tag}` stand for the names. */
  readonly name?: string;
}

/** A name or an address of this server, and a port if it is another one there. */
export interface Host {
  readonly name: string;
  readonly port: number | undefined;
}

/** The names of the setting "hosts"; a sentence where one of them is none. */
export function hostsOf({ hosts = '' }: Pick<Settings, 'hosts'>): readonly Host[] | string {
  const found: Host[] = [];
  for (const text of hosts.split(',').map((part) => part.trim())) {
    if (text === '') continue;
    const [, name = '', digits] = /^([^:\s/]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$/.exec(text) ?? [];
    const port = digits === undefined ? undefined : Number(digits);
    const isName =
      isIP(name.replaceAll(/[[\]]/g, '')) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name);
    if (!isName || port === 0 || (port ?? 0) > 65_535)
      return `"hosts" has "${text}", which is neither a name nor an address, with a port or without.`;
    found.push({ name, port });
  }
  return found;
}

/** Where the node listens, for the list of what the gateway has open. */
export function placeOf(settings: Readonly<Settings>): ListeningPlace {
  const { anonymous, certificate_users, host, port, security_mode, trust, unsecured, users } = settings;
  return {
    host,
    port,
    protocol: 'OPC UA',
    isEncrypted: security_mode === SecurityModes.ENCRYPT && !unsecured,
    isRestricted: !anonymous || (trust === Trust.LISTED && !unsecured),
    mayWrite: users || certificate_users === CertificateUsers.WRITE,
  };
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Readonly<Settings>): Fault | undefined {
  const refuse = (sentence: string): Fault => new Fault(ErrorCode.NODE_SETTING_INVALID, sentence);
  const hosts = hostsOf(settings);
  if (typeof hosts === 'string') return refuse(hosts);
  if (isIP(settings.host) === 0)
    return refuse(`"host" is an IP address of this machine, or 0.0.0.0 for all, and not "${settings.host}".`);
  if (settings.namespace === 'http://opcfoundation.org/UA/')
    return refuse('"namespace" is that of the standard itself; choose one of your own.');
  if (!settings.anonymous && !settings.users && settings.certificate_users === CertificateUsers.NONE)
    return refuse('Nobody could log in: set "users", "certificate_users" or "anonymous".');
  return undefined;
}

/** Folders of a path; empty ones do not count. */
export function foldersOf(path: string): readonly string[] {
  return path.split('/').filter((folder) => folder.trim() !== '');
}

export function checkSubscription({ params }: { readonly params?: Readonly<Params> }): Fault | undefined {
  const refuse = (sentence: string): Fault => new Fault(ErrorCode.GROUP_PARAM_INVALID, sentence);
  for (const key of ['path', 'name'] as const) {
    const value: unknown = params?.[key];
    if (value !== undefined && typeof value !== 'string') return refuse(`The parameter "${key}" is a text.`);
    if (value !== undefined && value.length > 512)
      return refuse(`The parameter "${key}" has at most 512 characters, and this one ${value.length}.`);
  }
  const { path, name } = params ?? {};
  if (path !== undefined && foldersOf(path).length === 0)
    return refuse(
      'The parameter "path" names no folder; leave it out to have the tags below driver and group.',
    );
  if (path !== undefined && foldersOf(path).length > 20)
    return refuse('The parameter "path" has at most 20 folders.');
  if (name !== undefined && !name.includes('{tag}'))
    return refuse('The parameter "name" has {tag} in it, or all tags of the group would have the same name.');
  return undefined;
}
