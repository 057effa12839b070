import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Child } from '../kit/child.ts';
import { writeFiles } from '../kit/configuration-files.ts';
import { freePort } from '../kit/free-port.ts';
import { certify, hasOpenssl } from './certificates.ts';

const backend = '/usr/lib/git-core/git-http-backend';
const here = (program: string, ...args: string[]): boolean => spawnSync(program, args).error === undefined;

/** What tests of repositories need and is not here; empty when everything is. */
export const missingForGit: readonly string[] = [
  ...(hasOpenssl ? [] : ['openssl']),
  ...(here('git', '--version') ? [] : ['git']),
  ...(here('gpg', '--version') && here('gpgv', '--version') ? [] : ['gnupg']),
  ...(here('ssh-keygen', '-?') && here('/usr/sbin/sshd', '-V') ? [] : ['openssh-server']),
];

/** The environment of git that knows nothing of this machine's users. */
export const gitEnvironment = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  GNUPGHOME: join(home, 'gnupg'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'operator',
  GIT_AUTHOR_EMAIL: 'operator@example.org',
  GIT_COMMITTER_NAME: 'operator',
  GIT_COMMITTER_EMAIL: 'operator@example.org',
});

/** A repository that servers serve, and a working copy of it. */
export class ServedRepository {
  /** The folder of the bare repositories. */
  readonly root: string;
  readonly #home: string;
  readonly #copy: string;

  constructor(folder: string) {
    this.root = join(folder, 'served');
    this.#home = join(folder, 'home');
    this.#copy = join(folder, 'copy');
    mkdirSync(this.#home, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(this.root, 'plant.git')]);
    execFileSync('git', ['init', '--quiet', '--initial-branch=main', this.#copy]);
    this.git('remote', 'add', 'origin', join(this.root, 'plant.git'));
  }

  /** Runs git in the working copy. */
  git(...args: string[]): string {
    const env = gitEnvironment(this.#home);
    return execFileSync('git', args, { cwd: this.#copy, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  get home(): string {
    return this.#home;
  }

  get copy(): string {
    return this.#copy;
  }

  /** Commits files, with more arguments for git, and gives the id of the commit. */
  async commit(
    message: string,
    files: Readonly<Record<string, string | undefined>>,
    ...args: string[]
  ): Promise<string> {
    await writeFiles(this.#copy, files);
    this.git('add', '--all');
    return this.push(() => this.git('commit', '--quiet', '--allow-empty', '--message', message, ...args));
  }

  /** Does something with the working copy, and pushes it as it is then. */
  push(work: () => unknown): string {
    work();
    this.git('push', '--quiet', '--force', 'origin', 'HEAD:main');
    return this.git('rev-parse', 'HEAD');
  }
}

export interface HttpsOptions {
  /** The password of the user that is let in. */
  readonly token?: string;
  /** PEM of the certificate that clients need. */
  readonly client?: string;
  /** Answers in the place of git. */
  readonly instead?: (request: IncomingMessage, reply: ServerResponse) => void;
  /** Answers in the place of git who asks for the objects of a commit; `version`: of the protocol. */
  readonly objects?: (reply: ServerResponse, version: 1 | 2) => void;
}

/** `git http-backend` behind TLS. */
export class HttpsGit implements AsyncDisposable {
  readonly ca: string;
  readonly #server: Server;
  readonly #port: number;
  /** Requests that were let in. */
  served = 0;

  private constructor(server: Server, port: number, ca: string) {
    this.#server = server;
    this.#port = port;
    this.ca = ca;
  }

  static async start(root: string, folder: string, options: HttpsOptions = {}): Promise<HttpsGit> {
    const { token, client, instead, objects } = options;
    mkdirSync(folder, { recursive: true });
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    certify(cert, key, 'git');
    const port = await freePort();
    const server = createServer({
      cert: readFileSync(cert),
      key: readFileSync(key),
      ...(client !== undefined && { ca: client, requestCert: true, rejectUnauthorized: false }),
    });
    const made = new HttpsGit(server, port, cert);
    server.on('request', (request, reply) => {
      const given = Buffer.from(
        (request.headers.authorization ?? '').replace('Basic ', ''),
        'base64',
      ).toString();
      const isKnown = token === undefined || given.endsWith(`:${token}`);
      const isTrusted =
        client === undefined || (request.socket instanceof TLSSocket && request.socket.authorized);
      if (!isKnown || !isTrusted) {
        reply.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return;
      }
      made.served++;
      if (instead !== undefined) instead(request, reply);
      else if (objects !== undefined && request.method === 'POST') void answer(root, request, reply, objects);
      else serve(root, request, reply);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return made;
  }

  get url(): string {
    return `git+https://127.0.0.1:${this.#port}/plant.git`;
  }

  /** Answers nobody until `open` is called. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close();
  }
}

async function answer(
  root: string,
  request: IncomingMessage,
  reply: ServerResponse,
  objects: NonNullable<HttpsOptions['objects']>,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const isAsked = /command=fetch|want [0-9a-f]{40}/.test(body.toString('latin1'));
  if (isAsked) objects(reply, body.includes('command=fetch') ? 2 : 1);
  else serve(root, request, reply, body);
}

function serve(root: string, request: IncomingMessage, reply: ServerResponse, body?: Buffer): void {
  const url = new URL(request.url ?? '/', 'https://x');
  const { headers, method = 'GET' } = request;
  const child = spawn(backend, [], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      ...(headers['content-length'] !== undefined && { CONTENT_LENGTH: headers['content-length'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  if (body === undefined) request.pipe(child.stdin);
  else child.stdin.end(body);
  let head = Buffer.alloc(0);
  let isHead = true;
  child.stdout.on('data', (piece: Buffer) => {
    if (!isHead) return void reply.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    isHead = false;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/);
      if (name.toLowerCase() === 'status') reply.statusCode = Number.parseInt(value, 10);
      else reply.setHeader(name, value);
    }
    reply.write(head.subarray(end + 4));
  });
  child.on('close', () => reply.end());
  reply.on('close', () => child.kill());
}

/** Debian's server of SSH, on a port of its own, for this user and one key. */
export class SshGit implements AsyncDisposable {
  readonly #child: Child;
  readonly url: string;
  readonly knownHosts: string;
  readonly key: string;

  private constructor(child: Child, url: string, knownHosts: string, key: string) {
    this.#child = child;
    this.url = url;
    this.knownHosts = knownHosts;
    this.key = key;
  }

  static async start(root: string, folder: string): Promise<SshGit> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const keygen = (name: string): string => {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
      return join(folder, name);
    };
    const host = keygen('host');
    const key = keygen('deploy');
    const port = await freePort();
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    const [type = '', data = ''] = readFileSync(`${host}.pub`, 'utf8').split(' ');
    await writeFiles(folder, {
      'known hosts': `[127.0.0.1]:${port} ${type} ${data}\n`,
      authorized: readFileSync(`${key}.pub`, 'utf8'),
      config: [
        `Port ${port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${host}`,
        `AuthorizedKeysFile ${join(folder, 'authorized')}`,
        `PidFile ${join(folder, 'pid')}`,
        'StrictModes no',
        'UsePAM no',
        'PermitRootLogin yes',
        'PasswordAuthentication no',
        '',
      ].join('\n'),
    });
    mkdirSync('/run/sshd', { recursive: true });
    const child = await Child.start('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], {
      ready: /Server listening/,
    });
    const url = `git+ssh://${user}@127.0.0.1:${port}${join(root, 'plant.git')}`;
    return new SshGit(child, url, join(folder, 'known hosts'), key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop('SIGTERM', 10_000);
  }
}
