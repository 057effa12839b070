import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { gitPlaceOf, type GitPlace } from './git-place.ts';

/** What is done where the gateway is not as its source says, because somebody has changed it. */
export const driftModes = ['keep', 'report', 'revert'] as const;

/** Where the configuration is pulled from, and how. Files are read at each look. */
export interface SourceConfig {
  /** A path of a folder that other programs fill, or a repository. */
  readonly place: { readonly folder: string } | { readonly git: GitSource };
  /** As people are shown it: without what is secret. */
  readonly shown: string;
  /** Seconds between two looks. */
  readonly interval: number;
  readonly drift: (typeof driftModes)[number];
  /** The file of variables; undefined for that of the gateway's name, if there is one. */
  readonly vars: string | undefined;
  /** The folder with a file for each secret. */
  readonly secrets: string | undefined;
  /** File with the secret that calls of webhooks are signed with. */
  readonly webhook: string | undefined;
}

/** A repository, and how it is reached. Paths are absolute. */
export interface GitSource extends GitPlace {
  /** Commits count that a trusted key has signed, and no others. */
  readonly isSigned: boolean;
  /** File with the token that is sent to the server. */
  readonly token: string | undefined;
  /** PEM file of the authorities that sign the certificate of the server. */
  readonly ca: string | undefined;
  /** PEM file of the certificate by which the server knows this gateway. */
  readonly cert: string | undefined;
  /** Its key, or the deploy key of SSH. */
  readonly key: string | undefined;
  /** File with the key of the server of SSH, in the form of known_hosts. */
  readonly knownHosts: string | undefined;
}

/** The options of a source. */
export const sourceOptions = {
  'config-source': { type: 'string' },
  'config-interval': { type: 'string' },
  'config-drift': { type: 'string' },
  'config-vars': { type: 'string' },
  'config-secrets': { type: 'string' },
  'config-webhook': { type: 'string' },
  'config-signed': { type: 'boolean' },
  'config-token': { type: 'string' },
  'config-ca': { type: 'string' },
  'config-cert': { type: 'string' },
  'config-key': { type: 'string' },
  'config-known-hosts': { type: 'string' },
} as const;

type Name = keyof typeof sourceOptions;

/** Options of repositories, and the protocols that each is for. */
const ofGit = {
  'config-signed': ['https', 'ssh', 'file'],
  'config-token': ['https'],
  'config-ca': ['https'],
  'config-cert': ['https'],
  'config-key': ['https', 'ssh'],
  'config-known-hosts': ['ssh'],
} as const satisfies Partial<Record<Name, readonly GitPlace['protocol'][]>>;

/** Options that name files, and become absolute. */
export const sourceFiles = [
  ...([
    'config-secrets',
    'config-webhook',
    'config-token',
    'config-ca',
    'config-cert',
    'config-key',
  ] as const),
  'config-known-hosts',
] as const satisfies readonly Name[];

/** How values of options are read. */
interface OptionReader {
  text(name: Name): string | undefined;
  flag(name: Name): boolean;
  count(name: Name, otherwise: number, least: number, most: number): number;
  drift(otherwise: SourceConfig['drift']): SourceConfig['drift'];
}

/** Undefined without a source. Throws `ConfigError`. */
export function sourceOf(options: OptionReader): SourceConfig | undefined {
  const source = options.text('config-source');
  if (source === undefined) {
    const alone = (Object.keys(sourceOptions) as Name[]).find((name) => options.text(name) !== undefined);
    if (alone !== undefined)
      throw new ConfigError(`The option "${alone}" needs "config-source", which says what is pulled.`);
    return undefined;
  }
  const secrets = options.text('config-secrets');
  const webhook = options.text('config-webhook');
  return {
    ...placeOf(source, options),
    interval: options.count('config-interval', 60, 1, 86_400),
    drift: options.drift('report'),
    vars: options.text('config-vars'),
    secrets: secrets && resolve(secrets),
    webhook: webhook && resolve(webhook),
  };
}

function placeOf(source: string, options: OptionReader): Pick<SourceConfig, 'place' | 'shown'> {
  const git = gitPlaceOf(source);
  for (const [name, protocols] of Object.entries(ofGit) as [keyof typeof ofGit, readonly string[]][])
    if (options.text(name) !== undefined && !protocols.includes(git?.protocol ?? ''))
      throw new ConfigError(
        `The option "${name}" is for sources of ${protocols.map((protocol) => `git+${protocol}`).join(', ')}, and not for "${source}".`,
      );
  if (git === undefined) {
    const folder = resolve(source);
    return { place: { folder }, shown: folder };
  }
  const file = (name: keyof typeof ofGit): string | undefined => {
    const path = options.text(name);
    return path && resolve(path);
  };
  const key = file('config-key');
  const cert = file('config-cert');
  const knownHosts = file('config-known-hosts');
  if (git.protocol === 'https' && (key === undefined) !== (cert === undefined))
    throw new ConfigError('The options "config-cert" and "config-key" need each other with git+https.');
  if (git.protocol === 'ssh' && (key === undefined || knownHosts === undefined))
    throw new ConfigError(
      'A source of git+ssh needs "config-key", the deploy key, and "config-known-hosts", a file with the key of the server.',
    );
  const isSigned = options.flag('config-signed');
  const own = { isSigned, token: file('config-token'), ca: file('config-ca'), cert, key, knownHosts };
  return { place: { git: { ...git, ...own } }, shown: git.shown };
}
