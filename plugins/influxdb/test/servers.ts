import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@tagway/testkit';

const isThere = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;

export const hasInfluxd = isThere('influxd');
export const hasVictoriaMetrics = isThere('victoria-metrics');

/** A server of Debian's in a folder of its own, which it keeps over a restart. */
abstract class TestServer implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  #process: ChildProcess | undefined;

  protected constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected abstract readonly command: readonly string[];
  protected abstract readonly health: string;

  async begin(): Promise<void> {
    const [name = '', ...args] = this.command;
    this.#process = spawn(name, args, { stdio: 'ignore', cwd: this.folder });
    await until(`${name} answers`, () =>
      fetch(`${this.url}${this.health}`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined) return;
    running.kill(signal);
    await once(running, 'exit');
  }

  /** It takes connections and answers nothing until it goes on. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process?.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }
}

const folderOf = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `tagway-${name}-`));

/** A row of an answer: the names of the columns with their values. */
export type Row = Readonly<Record<string, unknown>>;

/** InfluxDB 1 of Debian. */
export class Influxd extends TestServer {
  protected readonly command = ['influxd', '-config', join(this.folder, 'influxd.conf')];
  protected readonly health = '/ping';

  static async start({ auth = false, database = 'plant' } = {}): Promise<Influxd> {
    const server = new Influxd(await folderOf('influxd'), await freePort());
    const config = `reporting-disabled = true
bind-address = "127.0.0.1:${await freePort()}"
[meta]
  dir = "${server.folder}/meta"
[data]
  dir = "${server.folder}/data"
  wal-dir = "${server.folder}/wal"
  wal-fsync-delay = "0s"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${server.port}"
  log-enabled = false
  auth-enabled = ${auth}
  max-body-size = 1000000
[monitor]
  store-enabled = false
[continuous_queries]
  enabled = false
`;
    await writeFile(join(server.folder, 'influxd.conf'), config);
    try {
      await server.#prepare(auth, database);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  async #prepare(auth: boolean, database: string): Promise<void> {
    await this.begin();
    if (auth) await this.query(`CREATE USER "admin" WITH PASSWORD 'admin' WITH ALL PRIVILEGES`);
    if (database !== '') await this.query(`CREATE DATABASE "${database}"`);
  }

  /** The rows of all series of a statement's answer. Times are in nanoseconds, and all digits of integers are kept, as texts. */
  async query(q: string, database = 'plant'): Promise<Row[]> {
    const form = new URLSearchParams({ q, db: database, epoch: 'ns' });
    const answer = await fetch(`${this.url}/query?u=admin&p=admin`, { method: 'POST', body: form });
    const text = await answer.text();
    // Numbers that JavaScript cannot hold become texts.
    const reply = JSON.parse(text.replace(/(?<=[[,])-?\d{16,}(?=[\],])/g, '"$&"')) as {
      readonly error?: string;
      readonly results?: readonly {
        readonly error?: string;
        readonly series?: readonly {
          readonly name: string;
          readonly tags?: Row;
          readonly columns: readonly string[];
          readonly values: readonly (readonly unknown[])[];
        }[];
      }[];
    };
    const error = reply.error ?? reply.results?.[0]?.error;
    if (error !== undefined) throw new Error(error);
    return (reply.results?.[0]?.series ?? []).flatMap(({ name, tags, columns, values }) =>
      values.map((row) => ({
        ...tags,
        measurement: name,
        ...Object.fromEntries(columns.map((column, index) => [column, row[index]])),
      })),
    );
  }
}

/** VictoriaMetrics of Debian. */
export class VictoriaMetrics extends TestServer {
  protected readonly command = [
    'victoria-metrics',
    `-storageDataPath=${join(this.folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${this.port}`,
    '-retentionPeriod=100y',
    '-search.latencyOffset=0s',
  ];
  protected readonly health = '/health';

  static async start(): Promise<VictoriaMetrics> {
    const server = new VictoriaMetrics(await folderOf('victoria'), await freePort());
    await server.begin();
    return server;
  }

  /** All series that fit, with values and times in milliseconds. */
  async series(match: string): Promise<
    readonly {
      readonly metric: Row;
      readonly values: readonly number[];
      readonly timestamps: readonly number[];
    }[]
  > {
    await fetch(`${this.url}/internal/force_flush`);
    const answer = await fetch(
      `${this.url}/api/v1/export?${new URLSearchParams({ 'match[]': match }).toString()}`,
    );
    const text = await answer.text();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as never);
  }

  async meter(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  }
}
