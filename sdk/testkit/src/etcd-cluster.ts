// A real etcd of one or three members, on 127.0.0.1 or on machines of their own, for tests of the host and of the built gateway alike.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Debian puts daemons where the PATH of an ordinary user does not look. */
const binary = ['etcd', '/usr/bin/etcd', '/usr/local/bin/etcd'].find(
  (path) => spawnSync(path, ['--version']).error === undefined,
);

/** Whether etcd is installed. */
export const hasEtcd = binary !== undefined;

/** What the title of a suite that needs etcd ends with. */
export const etcdSkipped = hasEtcd ? '' : ' (skipped: etcd is not installed)';

/** Files of TLS for clients; `authority` signs the certificates of clients, which have to have one then, as the tests have `client`. */
export interface EtcdTlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly authority?: string;
  readonly client?: EtcdClientTls;
}

/** PEM texts by which a client proves itself, and knows the members. */
export interface EtcdClientTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface EtcdQuestion {
  /** That of a user of etcd. */
  readonly token?: string;
  /** Milliseconds. Default: 1000. */
  readonly within?: number;
}

/** Where a member runs. */
export interface EtcdPlace {
  readonly address: string;
  /** A command that runs the one after it there, as the same process. */
  readonly command: readonly string[];
}

interface Member {
  /** With the command. */
  readonly args: readonly string[];
  readonly url: string;
  process: ChildProcess | undefined;
  output: string;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Members are counted from 0. */
export class EtcdCluster implements AsyncDisposable {
  /** Addresses for clients, one for each member. */
  readonly endpoints: readonly string[];
  readonly #members: readonly Member[];
  readonly #folder: string;
  readonly #client: EtcdClientTls | undefined;

  private constructor(members: readonly Member[], folder: string, client: EtcdClientTls | undefined) {
    this.#members = members;
    this.#client = client;
    this.endpoints = members.map(({ url }) => url);
    this.#folder = folder;
  }

  /** Resolves when every member answers. `places`: one for each member; without them all are on 127.0.0.1. */
  static async start(
    size: 1 | 3 = 1,
    tls?: EtcdTlsFiles,
    places?: readonly EtcdPlace[],
  ): Promise<EtcdCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-etcd-'));
    folders.add(folder);
    const ports = await freePorts(2 * size);
    const address = (index: number): string => places?.[index]?.address ?? '127.0.0.1';
    const peer = (index: number): string => `http://${address(index)}:${ports[2 * index + 1]!}`;
    const indexes = Array.from({ length: size }, (_, index) => index);
    const cluster = indexes.map((index) => `m${index}=${peer(index)}`).join(',');
    const members = indexes.map((index): Member => {
      const url = `${tls ? 'https' : 'http'}://${address(index)}:${ports[2 * index]!}`;
      const args = [
        ...(places?.[index]?.command ?? []),
        binary ?? 'etcd',
        ...['--name', `m${index}`, '--data-dir', join(folder, `m${index}`)],
        ...['--listen-client-urls', url, '--advertise-client-urls', url],
        ...['--listen-peer-urls', peer(index), '--initial-advertise-peer-urls', peer(index)],
        ...['--initial-cluster', cluster, '--initial-cluster-token', folder],
        // A member that was cut off does not depose the leader when it is back. It is the default from etcd 3.5 on.
        '--pre-vote',
        // What a test writes need not outlive the machine.
        ...['--unsafe-no-fsync', '--log-level', 'error'],
        ...(tls ? ['--cert-file', tls.cert, '--key-file', tls.key] : []),
        ...(tls?.authority ? ['--client-cert-auth', '--trusted-ca-file', tls.authority] : []),
      ];
      return { args, url, process: undefined, output: '' };
    });
    const started = new EtcdCluster(members, folder, tls?.client);
    try {
      for (const index of indexes) started.begin(index);
      await Promise.all(indexes.map((index) => started.#answers(index)));
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
    return started;
  }

  pid(index: number): number {
    return this.#members[index]?.process?.pid ?? 0;
  }

  /** Starts a member that was killed, with what it had; does not wait until it answers. */
  begin(index: number): void {
    const member = this.#members[index]!;
    if (member.process !== undefined) return;
    const [command = '', ...args] = member.args;
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ETCD_UNSUPPORTED_ARCH: process.arch },
    });
    member.process = child;
    running.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on(
        'data',
        (chunk: Buffer) => (member.output = `${member.output}${chunk.toString()}`.slice(-8000)),
      );
    child.on('error', (error) => (member.output += error.message));
    child.on('exit', () => {
      running.delete(child);
      if (member.process === child) member.process = undefined;
    });
  }

  /** Ends a member at once; it can begin again. */
  async kill(index: number): Promise<void> {
    const child = this.#members[index]?.process;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** The member hangs: it keeps its connections and says nothing. */
  stop(index: number): void {
    this.#members[index]?.process?.kill('SIGSTOP');
  }

  continue(index: number): void {
    this.#members[index]?.process?.kill('SIGCONT');
  }

  /** Asks a member over its JSON gateway, such as `kv/range`. Rejects when it does not answer in time, or refuses. */
  async ask(index: number, path: string, body: object, options: EtcdQuestion = {}): Promise<object> {
    return post(`${this.endpoints[index]!}/v3/${path}`, body, options, this.#client);
  }

  /** The member that leads; undefined while there is none. Clusters with certificates of clients need `client` for it. */
  async leader(): Promise<number | undefined> {
    const statuses = await Promise.all(
      this.endpoints.map((_, index) =>
        this.ask(index, 'maintenance/status', {}).then(
          (answer) => answer as Status,
          () => undefined,
        ),
      ),
    );
    const index = statuses.findIndex(
      (one) => one?.leader !== undefined && one.leader === one.header?.member_id,
    );
    return index < 0 ? undefined : index;
  }

  /** The value of a key, as text, from the first member; undefined when it does not exist. Rejects when the member does not answer. */
  async value(key: string): Promise<string | undefined> {
    const answer = await this.ask(0, 'kv/range', { key: Buffer.from(key).toString('base64') });
    const { kvs = [] } = answer as { kvs?: readonly { value?: string }[] };
    return kvs[0] && Buffer.from(kvs[0].value ?? '', 'base64').toString();
  }

  async put(key: string, value: string): Promise<void> {
    const [name, content] = [key, value].map((text) => Buffer.from(text).toString('base64'));
    await this.ask(0, 'kv/put', { key: name, value: content });
  }

  async delete(key: string): Promise<void> {
    await this.ask(0, 'kv/deleterange', { key: Buffer.from(key).toString('base64') });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.kill(index)));
    await rm(this.#folder, { recursive: true, force: true });
    folders.delete(this.#folder);
  }

  /** With TLS it listens when it says so; without it answers a linearizable read once there is a leader. */
  async #answers(index: number): Promise<void> {
    const { url } = this.#members[index]!;
    for (let waited = 0; waited < 200; waited++) {
      const member = this.#members[index]!;
      if (member.process === undefined) throw new Error(`etcd ended:\n${member.output}`);
      const isUp = await (url.startsWith('https') ? listens(url) : isLed(url));
      if (isUp) return;
      await sleep(50);
    }
    throw new Error(`etcd does not answer:\n${this.#members[index]!.output}`);
  }
}

interface Status {
  readonly leader?: string;
  readonly header?: { readonly member_id?: string };
}

/** Resolves with the JSON object of an answer of 200. */
async function post(
  url: string,
  body: object,
  { token, within = 1000 }: EtcdQuestion = {},
  tls?: EtcdClientTls,
): Promise<object> {
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url, {
    ...tls,
    method: 'POST',
    signal: AbortSignal.timeout(within),
    headers: token === undefined ? {} : { authorization: token },
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`etcd answered ${url} with ${response.statusCode} ${answer}`);
  return JSON.parse(answer) as object;
}

const isLed = (url: string): Promise<boolean> =>
  post(`${url}/v3/kv/range`, { key: 'AA==' }).then(
    () => true,
    () => false,
  );

async function listens(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** All at once, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
