import { Failure } from './failure.ts';

/** The address of a gateway, and the credentials for it. */
export interface Access {
  /** For example `http://127.0.0.1:7000`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

interface NodeRow {
  readonly name: string;
  readonly plugin: string;
}

/** The few calls of the management API that a plugin's author needs. */
export class GatewayClient {
  readonly #base: string;
  #token = '';
  #level = 'notice';
  /** The nodes whose log level was changed. */
  readonly #levelled = new Set<string>();
  /** Seconds since the epoch by the clock of the gateway: now, and the time up to which its log was shown. */
  #now = 0;
  #logged = 0;

  private constructor(url: string) {
    this.#base = `${url.replace(/\/$/, '')}/api/v2`;
  }

  static async login({ url, user, password }: Access): Promise<GatewayClient> {
    const client = new GatewayClient(url);
    const { token } = await client.#call<{ token: string }>('POST', '/login', { name: user, pass: password });
    client.#token = token;
    client.#logged = client.#now;
    return client;
  }

  /** Installs an archive, or upgrades to it. */
  async install(library: string, archive: Buffer, signature?: string): Promise<void> {
    await this.#call('POST', '/plugin', {
      library,
      file: archive.toString('base64'),
      ...(signature && { signature }),
    });
  }

  /** Lets a debugger attach to the process of a plugin, or no more with port 0. */
  async debug(plugin: string, port: number): Promise<void> {
    await this.#call('PUT', '/plugin/debug', { plugin, port });
  }

  /** Changes the level of the gateway's own log, and of the plugin's nodes that were seen and will be. */
  async setLogLevel(level: string): Promise<void> {
    this.#level = level;
    await this.#call('PUT', '/log/level', { level });
    for (const node of this.#levelled) await this.#levelNode(node);
  }

  async #levelNode(node: string): Promise<void> {
    this.#levelled.add(node);
    // It may have been deleted meanwhile.
    await this.#call('PUT', '/log/level', { node, level: this.#level, core: false }).catch(() => undefined);
  }

  /** The lines that the gateway has logged of a plugin and its nodes since the last call. */
  async newLog(plugin: string): Promise<string[]> {
    const nodes = await this.#nodes(plugin);
    for (const node of nodes) if (!this.#levelled.has(node)) await this.#levelNode(node);
    const since = this.#logged;
    const until = this.#now;
    if (since === until) return [];
    const { rows } = await this.#call<{ rows: string[] }>(
      'GET',
      `/log?since=${since}&until=${until}&page=0&page_size=10000`,
    );
    this.#logged = until;
    return rows.filter(
      (row) =>
        row.includes(`"${plugin}"`) ||
        / gateway: .* was refused: /.test(row) ||
        nodes.some((node) => row.includes(` ${node}: `)),
    );
  }

  async #nodes(plugin: string): Promise<string[]> {
    const lists = await Promise.all(
      [1, 2].map((type) => this.#call<{ nodes: NodeRow[] }>('GET', `/node?type=${type}`)),
    );
    return lists.flatMap(({ nodes }) =>
      nodes.filter((node) => node.plugin === plugin).map(({ name }) => name),
    );
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const reply = await fetch(this.#base + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    }).catch((cause: unknown) => {
      throw new Failure(`There is no gateway at ${this.#base}.`, { cause });
    });
    this.#now = Math.floor(Date.parse(reply.headers.get('date') ?? '') / 1000);
    const text = await reply.text();
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: number };
    if (!reply.ok || (answer.error ?? 0) !== 0)
      throw new Failure(
        `${method} ${path.replace(/\?.*/, '')} was answered ${reply.status}: ${text.slice(0, 500)}`,
      );
    return answer as Body;
  }
}
