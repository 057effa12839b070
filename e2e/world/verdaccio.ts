import { createRequire } from 'node:module';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Child } from '../kit/child.ts';
import { until } from '../kit/until.ts';
import { freePort } from '../kit/free-port.ts';

const command = join(
  dirname(createRequire(import.meta.url).resolve('verdaccio/package.json')),
  'bin',
  'verdaccio',
);

export interface VerdaccioOptions {
  /** Passwords by the names of users. Only these publish; without any, everybody does. */
  readonly users?: Readonly<Record<string, string>>;
  /** Whether packages are shown to nobody but users. */
  readonly isPrivate?: boolean;
}

/** A registry as companies have it: it keeps packages in a folder of its own, and asks no other one. */
export class Verdaccio implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly #folder: string;
  readonly #tokens = new Map<string, string>();
  #child: Child | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}/`;
  }

  static async start(options: VerdaccioOptions = {}): Promise<Verdaccio> {
    const registry = new Verdaccio(await mkdtemp(join(tmpdir(), 'tagway-verdaccio-')), await freePort());
    try {
      await registry.#begin(options);
    } catch (error) {
      await registry[Symbol.asyncDispose]();
      throw error;
    }
    return registry;
  }

  /** The token of a user, as npm has it after a login. */
  token(user: string): string {
    const token = this.#tokens.get(user);
    if (token === undefined) throw new Error(`There is no user "${user}".`);
    return token;
  }

  /** The text of an npmrc that leads here, with the login of a user. Without users any token will do, but npm publishes nothing without one. */
  npmrc(user?: string): string {
    const token = user === undefined ? 'anybody' : this.token(user);
    return `registry=${this.url}\n${this.url.slice('http:'.length)}:_authToken=${token}\n`;
  }

  /** Where the archive of a published version lies, for tests that damage or remove it. */
  archive(name: string, version: string): string {
    return join(this.#folder, 'storage', name, `${name.replace(/^.*\//, '')}-${version}.tgz`);
  }

  /** Where the metadata of a package lies. */
  metadata(name: string): string {
    return join(this.#folder, 'storage', name, 'package.json');
  }

  /** Ends the server. What was published is there again when it has begun anew. */
  async stop(): Promise<void> {
    await this.#child?.stop();
    this.#child = undefined;
  }

  async resume(): Promise<void> {
    this.#child = await Child.start(
      process.execPath,
      [command, '--config', join(this.#folder, 'config.yaml'), '--listen', `127.0.0.1:${this.port}`],
      { ready: /http address/, within: 60_000 },
    );
    // It prints its address shortly before it takes connections.
    await until('the registry answers', () =>
      fetch(`${this.url}-/ping`).then(
        () => true,
        () => false,
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #begin({ users = {}, isPrivate = false }: VerdaccioOptions): Promise<void> {
    const publishers = Object.keys(users).length > 0 ? '$authenticated' : '$all';
    const readers = isPrivate ? '$authenticated' : '$all';
    const config = {
      storage: join(this.#folder, 'storage'),
      auth: { htpasswd: { file: join(this.#folder, 'htpasswd'), algorithm: 'sha1' } },
      uplinks: {},
      packages: { '**': { access: readers, publish: publishers, unpublish: publishers } },
      web: { enable: false },
      log: { type: 'stdout', format: 'json', level: 'warn' },
      max_body_size: '200mb',
    };
    // JSON is YAML.
    await writeFile(join(this.#folder, 'config.yaml'), JSON.stringify(config));
    await this.resume();
    for (const [name, password] of Object.entries(users)) {
      const reply = await fetch(`${this.url}-/user/org.couchdb.user:${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, password }),
      });
      const { token } = (await reply.json()) as { readonly token?: string };
      if (token === undefined) throw new Error(`The registry does not take the user "${name}".`);
      this.#tokens.set(name, token);
    }
  }
}
