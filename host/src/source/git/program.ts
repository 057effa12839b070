import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitSource } from '../../config/source-option.ts';
import { plainLine } from '../../core/directory/plain-text.ts';
import { SourceError } from '../source-error.ts';
import { basicOf } from './basic.ts';
import { gitLimits } from './limits.ts';
import type { Entry, Repository } from './repository.ts';
import { type Ran, run } from './run.ts';

/** Bytes below its limit up to which a file grows, where it is written in pieces. */
const margin = 1 << 16;

/** From which version on the environment has settings, so that no token is in the list of processes. */
const least = [2, 31] as const;

/** Whether there is a program git that is new enough. */
export async function hasGit(): Promise<boolean> {
  const { code, out } = await run('git', ['--version'], { env: {} });
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(out.toString()) ?? [];
  return (
    code === 0 && (Number(major) > least[0] || (Number(major) === least[0] && Number(minor) >= least[1]))
  );
}

/**
 * A repository that is read by the program git. Nothing of the settings of the machine or of its users counts, no hook and no filter runs, and
 * nothing of the source is an option of it.
 */
export class ProgramRepository implements Repository {
  readonly #source: GitSource;
  /** Below it everything is written. */
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(source: GitSource, folder: string, env: Readonly<Record<string, string>>) {
    this.#source = source;
    this.#folder = folder;
    this.#env = env;
  }

  /** `folder`: an empty one. Rejects with `SourceError`. */
  static async open(source: GitSource, folder: string): Promise<ProgramRepository> {
    const repository = new ProgramRepository(source, folder, await environmentOf(source, folder));
    await repository.#git(['init', '--quiet', '--bare', '--template=', folder]);
    return repository;
  }

  async head(): Promise<string> {
    const { url, branch } = this.#source;
    const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const text = (await this.#git(['ls-remote', '--quiet', '--', url, ref])).toString();
    const [, id] =
      text
        .split('\n')
        .find((line) => line.endsWith(`\t${ref}`))
        ?.match(/^([0-9a-f]{40,64})\t/) ?? [];
    return id ?? this.#noBranch();
  }

  async fetch(): Promise<string> {
    const { url, branch } = this.#source;
    const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const quiet = ['--quiet', '--no-tags', '--depth=1', '--no-recurse-submodules', '--no-write-fetch-head'];
    const ran = await this.#run(['fetch', ...quiet, '--', url, `+${ref}:refs/tagway/fetched`]);
    // Of a part of git that is ended at the limit of a file it says only that it has failed.
    if (ran.code !== 0 || ran.isOver)
      throw this.#failed({ ...ran, isTooLarge: ran.isTooLarge || (await this.#isFull()) });
    return (await this.#git(['rev-parse', '--verify', 'refs/tagway/fetched^{commit}'])).toString().trim();
  }

  commit(id: string): Promise<Buffer> {
    return this.#git(['cat-file', 'commit', id]);
  }

  async list(id: string): Promise<Entry[] | undefined> {
    const { path } = this.#source;
    const kind = await this.#run(['cat-file', '-t', `${id}:${path}`]);
    if (kind.code !== 0 || kind.out.toString().trim() !== 'tree') return undefined;
    const out = await this.#git(['ls-tree', '-r', '-l', '-z', '--full-tree', `${id}:${path}`]);
    return out
      .toString()
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const tab = line.indexOf('\t');
        const [mode = '', , object = '', size] = line.slice(0, tab).split(/ +/);
        return { mode, id: object, size: size === '-' ? 0 : Number(size), path: line.slice(tab + 1) };
      });
  }

  async extract(id: string, _entries: readonly Entry[], folder: string): Promise<void> {
    const env = { GIT_INDEX_FILE: join(this.#folder, 'tagway-index'), GIT_WORK_TREE: folder };
    await this.#git(['read-tree', `${id}:${this.#source.path}`], env);
    await this.#git(['checkout-index', '--all', '--force', `--prefix=${folder}/`], env, folder);
  }

  #run(args: readonly string[], env: Readonly<Record<string, string>> = {}, folder?: string): Promise<Ran> {
    return run('git', args, {
      env: { ...this.#env, GIT_DIR: this.#folder, ...env },
      ...(folder !== undefined && { folder }),
    });
  }

  async #git(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    folder?: string,
  ): Promise<Buffer> {
    const ran = await this.#run(args, env, folder);
    if (ran.code === 0 && !ran.isOver) return ran.out;
    throw this.#failed(ran);
  }

  /** Whether a pack has grown up to the limit of a file. */
  async #isFull(): Promise<boolean> {
    const folder = join(this.#folder, 'objects', 'pack');
    for (const name of await readdir(folder).catch(() => [])) {
      const { size } = await stat(join(folder, name));
      if (size >= gitLimits.bytes - margin) return true;
    }
    return false;
  }

  #noBranch(): never {
    const { branch, shown } = this.#source;
    throw new SourceError(
      branch === undefined
        ? `The repository ${shown} has no commit.`
        : `The repository ${shown} has no branch "${branch}".`,
    );
  }

  #failed({ isOver, isTooLarge, errors }: Ran): SourceError {
    const { shown, protocol, user } = this.#source;
    if (isTooLarge)
      return new SourceError(
        `The repository ${shown} sends more than ${gitLimits.bytes} bytes, which is more than is taken.`,
      );
    if (isOver)
      return new SourceError(
        `The repository ${shown} was not read within ${gitLimits.within / 1000} seconds.`,
      );
    if (/couldn't find remote ref/.test(errors)) return this.#noBranch();
    const reason = reasonIn(errors, protocol, user);
    return new SourceError(`The repository ${shown} cannot be fetched: ${reason}.`);
  }
}

/** Why git has failed, in words of ours as far as they are known. */
function reasonIn(errors: string, protocol: string, user: string): string {
  if (/Host key verification failed/.test(errors))
    return 'the server has another key than the file of --config-known-hosts says, or is not in it';
  if (/Permission denied \(publickey/.test(errors))
    return `the server does not take the key of --config-key for the user "${user}"`;
  if (/Authentication failed|could not read (?:Username|Password)|Access denied|error: 40[13]/.test(errors))
    return 'the server does not take the token or the certificate, or asks for one';
  if (/certificate|SSL/i.test(errors))
    return `the certificate of the server is not good: ${lastLine(errors)}`;
  if (/redirect|returned error: 30\d/i.test(errors))
    return 'the server leads to another address, which is not followed';
  if (protocol === 'file' && /does not (?:appear to be|exist)|not a git repository/.test(errors))
    return 'there is no repository';
  return lastLine(errors);
}

function lastLine(errors: string): string {
  const lines = errors.split('\n').filter((line) => /^(?:fatal|error|ssh|remote):? /.test(line));
  const said = lines.find((line) => line.startsWith('fatal: unable to access')) ?? lines.at(0) ?? errors;
  return plainLine(said.replace(/^(?:fatal|error|remote): /, ''), 300).replace(/\.$/, '');
}

async function environmentOf(source: GitSource, folder: string): Promise<Record<string, string>> {
  const { protocol, token, ca, cert, key, user } = source;
  const settings: [string, string][] = [
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.askPass', ''],
    ['core.symlinks', 'false'],
    ['core.bigFileThreshold', '1m'],
    ['credential.helper', ''],
    ['fetch.fsckObjects', 'true'],
    ['fetch.unpackLimit', '1'],
    ['fetch.recurseSubmodules', 'false'],
    ['fetch.bundleURI', ''],
    ['transfer.bundleURI', 'false'],
    ['http.followRedirects', 'false'],
    ['http.sslVerify', 'true'],
    ['http.lowSpeedLimit', '100'],
    ['http.lowSpeedTime', String(gitLimits.silence / 1000)],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['safe.directory', '*'],
    ['pack.threads', '1'],
    ...(ca === undefined ? [] : [['http.sslCAInfo', ca] as [string, string]]),
    ...(protocol === 'https' && cert !== undefined && key !== undefined
      ? ([
          ['http.sslCert', cert],
          ['http.sslKey', key],
        ] as [string, string][])
      : []),
    ...(token === undefined
      ? []
      : [['http.extraHeader', `Authorization: ${await basicOf(user, token)}`] as [string, string]]),
  ];
  return {
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    ...proxiesOf(process.env),
    ...(protocol === 'ssh' && { GIT_SSH_COMMAND: sshCommand(source), GIT_SSH_VARIANT: 'ssh' }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

function proxiesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function sshCommand({ key = '', knownHosts = '' }: GitSource): string {
  const options = [
    ...['BatchMode=yes', 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none'],
    ...['ConnectTimeout=20', 'ServerAliveInterval=15', 'ServerAliveCountMax=2', 'ClearAllForwardings=yes'],
    ...['PermitLocalCommand=no', 'ProxyCommand=none', 'GlobalKnownHostsFile=/dev/null', 'UpdateHostKeys=no'],
    `UserKnownHostsFile="${knownHosts}"`,
  ];
  const words = ['ssh', '-F', '/dev/null', '-i', key, ...options.flatMap((one) => ['-o', one])];
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}
