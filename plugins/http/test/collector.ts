import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('collector.py', import.meta.url));

export const hasPython =
  spawnSync(python, ['-c', 'import http.server, ssl'], { stdio: 'ignore' }).status === 0;

/** One request that the server was sent. */
export interface Received {
  readonly status: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How many tokens had been given out by then, and what was asked for the last one with. */
  readonly tokens: number;
  readonly asked: readonly [authorization: string, form: string] | null;
}

/** What decides the answers to come. */
export interface Control {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly times?: number;
  readonly largest?: number;
  readonly hang?: boolean;
  /** The Authorization header that is taken; others are answered with 401. */
  readonly expect?: string;
  readonly expires_in?: number;
}

/** An HTTP server of Python's library, which keeps what it is sent over a restart. */
export class Collector implements AsyncDisposable {
  readonly folder: string;
  port = 0;
  readonly #tls: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, tls: readonly string[]) {
    this.folder = folder;
    this.#tls = tls;
  }

  /** `tls`: paths of certificate and key, and of the authority of clients if they need a certificate. */
  static async start(tls: readonly string[] = []): Promise<Collector> {
    const collector = new Collector(await mkdtemp(join(tmpdir(), 'tagway-collector-')), tls);
    await collector.begin();
    return collector;
  }

  get url(): string {
    return `${this.#tls.length > 0 ? 'https' : 'http'}://127.0.0.1:${this.port}/samples`;
  }

  /** Begins again, on the same port. */
  async begin(): Promise<void> {
    const args = [script, join(this.folder, 'received'), String(this.port), ...this.#tls];
    const started = spawn(python, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = started;
    const [line] = (await once(createInterface(started.stdout), 'line')) as [string];
    this.port = Number(line);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  async control(control: Control): Promise<void> {
    await fetch(`http://127.0.0.1:${this.port}/control`, { method: 'POST', body: JSON.stringify(control) });
  }

  /** What came, in order. */
  async received(): Promise<readonly Received[]> {
    const text = await readFile(join(this.folder, 'received'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Omit<Received, 'body'> & { readonly body: string })
      .map((one) => ({ ...one, body: Buffer.from(one.body, 'base64') }));
  }

  /** What was taken. */
  async taken(): Promise<readonly Received[]> {
    return (await this.received()).filter(({ status }) => status < 300);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
