import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './listening.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** Debian keeps the programs of each version in a folder that no PATH has. */
function binaries(): string | undefined {
  try {
    const root = '/usr/lib/postgresql';
    const newest = readdirSync(root).sort((one, other) => Number(other) - Number(one))[0];
    return newest === undefined ? undefined : join(root, newest, 'bin');
  } catch {
    return undefined;
  }
}

const bin = binaries();
export const hasPostgres = bin !== undefined;
export const postgres = hasPostgres ? 'PostgreSQL' : 'PostgreSQL (skipped: it is not installed)';

/** The server refuses to run as root: then it runs as the user nobody. */
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const asUser = isRoot ? { uid: nobody, gid: nobody } : {};

export interface PostgresOptions {
  /** Lines of pg_hba.conf; without them everybody may do everything. */
  readonly hba?: readonly string[];
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Files in the server's folder, by their names. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server in a folder of its own, with the database `plant`; what it stores is read with its own client, psql. */
export class PostgresServer implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async start({ hba, settings = [], files = {} }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-postgres-'));
    if (isRoot) {
      // The folder of a test's own is closed to others; nobody has to get through it.
      const outer = statSync(tmpdir()).mode;
      if ((outer & 0o001) === 0) chmodSync(tmpdir(), outer | 0o011);
      chownSync(folder, nobody, nobody);
    }
    const server = new PostgresServer(folder, await freePort());
    const data = join(folder, 'data');
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(bin!, 'initdb'), options, { ...asUser, cwd: folder });
    const lines = [
      `port = ${server.port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'fsync = off',
      'shared_buffers = 32MB',
      "log_line_prefix = ''",
      ...settings,
    ];
    await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
    // Over the socket in its folder the test may always do everything.
    if (hba !== undefined)
      await writeFile(join(data, 'pg_hba.conf'), `local all all trust\n${hba.join('\n')}\n`);
    for (const [name, text] of Object.entries(files)) {
      const path = join(data, name);
      await writeFile(path, text, { mode: 0o600 });
      if (isRoot) chownSync(path, nobody, nobody);
    }
    await server.resume();
    await server.sql('CREATE DATABASE plant', 'postgres');
    return server;
  }

  /** Starts the server that was stopped or killed. After a kill its processes may need a moment to end, during which it does not start. */
  async resume(): Promise<void> {
    await until('the server takes connections', async () => {
      if (this.#process === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null)
        this.#process = spawn(join(bin!, 'postgres'), ['-D', join(this.folder, 'data')], {
          ...asUser,
          cwd: this.folder,
          stdio: 'ignore',
        });
      return this.sql('SELECT 1', 'postgres').then(
        () => true,
        () => false,
      );
    });
  }

  /** The rows that a statement gives, as texts; null is an empty one. */
  async sql(text: string, database = 'plant'): Promise<string[][]> {
    const options = ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '-d', database];
    const format = ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-F', '\x1f', '-R', '\x1e', '-c', text];
    const { stdout } = await run(join(bin!, 'psql'), [...options, ...format], { maxBuffer: 1 << 28 });
    const plain = stdout.replace(/\n$/, '');
    return plain === '' ? [] : plain.split('\x1e').map((line) => line.split('\x1f'));
  }

  /** The first column of the first row, as a number. */
  async count(text: string): Promise<number> {
    return Number((await this.sql(text))[0]?.[0]);
  }

  /** Sends a signal to the server's first process: SIGKILL ends it at once, SIGINT in order, SIGSTOP leaves it deaf. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGCONT');
    await this.kill('SIGINT');
    await rm(this.folder, { recursive: true, force: true });
  }
}
