import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../kit/child.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';

export const hasInfluxd = spawnSync('influxd', ['version'], { stdio: 'ignore' }).status === 0;

/** InfluxDB 1 of Debian, in a folder of its own, which it keeps over a restart. */
export class Influxd {
  readonly port: number;
  readonly #folder: string;
  #child: Child | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  static async start(): Promise<Influxd> {
    const server = new Influxd(await mkdtemp(join(tmpdir(), 'tagway-influxd-')), await freePort());
    const folder = server.#folder;
    const config = `reporting-disabled = true
bind-address = "127.0.0.1:${await freePort()}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
[http]
  bind-address = "127.0.0.1:${server.port}"
  log-enabled = false
[monitor]
  store-enabled = false
`;
    await writeFile(join(folder, 'influxd.conf'), config);
    await server.begin();
    return server;
  }

  async begin(): Promise<void> {
    this.#child = await Child.start('influxd', ['-config', join(this.#folder, 'influxd.conf')], {
      ready: /Listening on HTTP/,
    });
    await until('it answers', () =>
      this.query('SHOW DATABASES').then(
        () => true,
        () => false,
      ),
    );
  }

  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
    this.#child = undefined;
  }

  /** The rows of the first series of an answer. */
  async query(q: string, db = 'plant'): Promise<readonly (readonly unknown[])[]> {
    const form = new URLSearchParams({ q, db, epoch: 'ms' });
    const answer = await fetch(`http://127.0.0.1:${this.port}/query`, { method: 'POST', body: form });
    const { results } = (await answer.json()) as {
      readonly results?: readonly {
        readonly series?: readonly { readonly values: readonly unknown[][] }[];
      }[];
    };
    return results?.[0]?.series?.[0]?.values ?? [];
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
