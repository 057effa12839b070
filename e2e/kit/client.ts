import { Agent, request } from 'node:http';
import { parseExact, writeExact } from './json.ts';

/** The members that the replies of the API have in common. */
export interface Answer {
  readonly error?: number;
  /** Why it is refused. */
  readonly message?: string;
  readonly index?: number;
}

export interface Reply<Body = Answer> {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  /** The parsed JSON; integers beyond 2^53 are bigints. */
  readonly body: Body;
  readonly text: string;
}

export interface CallOptions {
  /** Another Authorization header, or null for none. */
  readonly authorization?: string | null;
  /** Milliseconds until the call fails. */
  readonly within?: number;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

/** The query of a GET and of DELETE /template, the body of anything else; a string is sent as it is. */
export type Data = string | Readonly<Record<string, unknown>> | undefined;

/** A client of the management API over kept-alive connections. */
export class Client {
  token: string | undefined;
  readonly #url: () => string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  /** `url` is a function where a gateway has another address after its next start. */
  constructor(url: string | (() => string)) {
    this.#url = typeof url === 'string' ? () => url : url;
  }

  async login(name = 'admin', pass = '0000'): Promise<this> {
    const { token } = await this.ok<{ token: string }>('POST', '/login', { name, pass });
    this.token = token;
    return this;
  }

  /** Calls a path below /api/v2. */
  call<Body = Answer>(
    method: Method,
    path: string,
    data?: Data,
    options: CallOptions = {},
  ): Promise<Reply<Body>> {
    const url = new URL(`/api/v2${path}`, this.#url());
    let body: string | undefined;
    const isQuery = method === 'GET' || (method === 'DELETE' && path === '/template');
    if (isQuery && typeof data === 'object') {
      for (const [key, value] of Object.entries(data)) url.searchParams.set(key, String(value));
    } else if (data !== undefined) {
      body = typeof data === 'string' ? data : writeExact(data);
    }
    const { authorization = this.token === undefined ? null : `Bearer ${this.token}`, within = 20_000 } =
      options;
    const headers: Record<string, string | number> = {};
    if (authorization !== null) headers['authorization'] = authorization;
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method, headers, agent: this.#agent, signal: AbortSignal.timeout(within) },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              body: parseBody(text) as Body,
              text,
            });
          });
        },
      );
      sent.on('error', (cause) => reject(new Error(`${method} ${path} failed: ${cause.message}`, { cause })));
      sent.end(body);
    });
  }

  /** Calls a path, expects success, and returns the body. */
  async ok<Body = Answer>(method: Method, path: string, data?: Data, options?: CallOptions): Promise<Body> {
    const { status, body, text } = await this.call<Body & Answer>(method, path, data, options);
    if (status !== 200 || (body.error ?? 0) !== 0) {
      throw new Error(
        `${method} ${path} ${writeExact(data).slice(0, 300)} was answered ${status} ${text.slice(0, 300)}`,
      );
    }
    return body;
  }

  /** Calls a path and returns the code of the answer: 0 where all is well. */
  async errorOf(method: Method, path: string, data?: Data, options?: CallOptions): Promise<number> {
    return (await this.call(method, path, data, options)).body.error ?? 0;
  }

  /** Ends its connections; the next call makes another one. */
  close(): void {
    this.#agent.destroy();
  }
}

function parseBody(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return {};
  }
}
