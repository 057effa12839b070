import { ConfigError } from './config-error.ts';

/** A branch of a repository, and a folder in it. */
export interface GitPlace {
  readonly protocol: 'https' | 'ssh' | 'file';
  /** As git takes it, without a user where it is one of https. */
  readonly url: string;
  /** Of the address; empty for none. */
  readonly user: string;
  /** Undefined for the branch that the server shows first. */
  readonly branch: string | undefined;
  /** Empty for the root. */
  readonly path: string;
  readonly shown: string;
}

/** What git takes for the name of a branch and what cannot be taken for anything else. */
const branches = /^(?!.*(?:\.\.|\/\/|\/\.|\.lock(?:\/|$)|@\{))[A-Za-z0-9_][A-Za-z0-9_./@+-]{0,199}(?<![/.])$/;

const form = 'git+https://HOST/PATH#BRANCH:FOLDER, git+ssh://USER@HOST/PATH#BRANCH:FOLDER';

/** Undefined for what is no address, and so a path. Throws `ConfigError`. */
export function gitPlaceOf(source: string): GitPlace | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]+:/.test(source)) return undefined;
  const [, protocol, rest = ''] = /^git\+(https|ssh|file):(.*)$/.exec(source) ?? [];
  const at = rest.indexOf('#');
  const address = at < 0 ? rest : rest.slice(0, at);
  const url = protocol === undefined ? null : URL.parse(`${protocol}:${address}`);
  if (url === null || (protocol !== 'https' && protocol !== 'ssh' && protocol !== 'file'))
    throw new ConfigError(
      `The option "config-source" is the path of a folder, or ${form}, and not "${withoutPassword(source)}".`,
    );
  if (url.password !== '')
    throw new ConfigError(
      'The address of "config-source" has no password: a token is in the file of "config-token", a key in that of "config-key".',
    );
  // ssh would take a host that begins so for an option.
  if (/^[-[]?-/.test(url.hostname) || (protocol !== 'file' && url.hostname === '') || url.search !== '')
    throw new ConfigError(`The address "${withoutPassword(source)}" of "config-source" has no good host.`);
  const [branch = '', ...parts] = at < 0 ? [] : rest.slice(at + 1).split(':');
  const path = parts.join(':').replace(/^\.?\/+|\/+$/g, '');
  if (branch !== '' && !branches.test(branch))
    throw new ConfigError(`"${branch}" in "config-source" is no name of a branch.`);
  if (path.split('/').some((part) => part === '..' || part === '.') || /[\0\n\\]/.test(path))
    throw new ConfigError(`"${path}" in "config-source" is no folder of a repository.`);
  const user = decodeURIComponent(url.username);
  if (protocol === 'ssh' && !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(user))
    throw new ConfigError('The address of "config-source" is to have a user, as in git+ssh://git@HOST/PATH.');
  if (protocol === 'https') url.username = '';
  const place = `${branch}${path === '' ? '' : `:${path}`}`;
  return {
    protocol,
    url: url.href,
    user,
    branch: branch === '' ? undefined : branch,
    path,
    shown: `git+${url.href}${place === '' ? '' : `#${place}`}`,
  };
}

function withoutPassword(source: string): string {
  return source.replace(/:[^:/@]*@/, ':…@');
}
