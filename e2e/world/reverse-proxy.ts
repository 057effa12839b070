import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy on HTTP/1.1 that serves a gateway below a path and takes the path away. */
export class ReverseProxy {
  /** Holds replies back until they end, as proxies do that were not told otherwise. */
  buffers = false;
  /** Requests for paths that are not below the one that is served. */
  readonly strayed: string[] = [];
  /** Streams of live values that are open now. */
  readonly streams = new Set<IncomingMessage>();
  /** What was answered, with the bytes of each reply: its lines of head and its body as it was sent. */
  readonly answers: { readonly path: string; bytes: number }[] = [];
  /** How many tags were named in each request for live values, and in each change of one. */
  readonly wanted: number[] = [];
  readonly #server: Server;
  readonly #target: string;
  readonly #prefix: string;

  private constructor(server: Server, target: string, prefix: string) {
    this.#server = server;
    this.#target = target;
    this.#prefix = prefix;
    server.on('request', (req, res) => this.#pass(req, res));
  }

  /** Serves the gateway at `target` below `prefix`, such as `/a/b`. */
  static async start(target: string, prefix: string): Promise<ReverseProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ReverseProxy(server, target, prefix);
  }

  /** Where the gateway's page is, without the slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#prefix}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #note(req: IncomingMessage): Promise<void> {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    await once(req, 'end');
    const { values = [] } = JSON.parse(Buffer.concat(parts).toString()) as {
      values?: { tags?: string[] }[];
    };
    this.wanted.push(values.reduce((sum, { tags }) => sum + (tags?.length ?? Infinity), 0));
  }

  #pass(req: IncomingMessage, res: ServerResponse): void {
    const { method = 'GET', url = '', headers } = req;
    if (!url.startsWith(`${this.#prefix}/`)) {
      this.strayed.push(url);
      res.writeHead(404).end();
      return;
    }
    const path = url.slice(this.#prefix.length);
    const onward = request(new URL(path, this.#target), { method, headers });
    const isStream = method === 'POST' && path === '/live/events';
    if (isStream) this.streams.add(req);
    if (path === '/live/events') void this.#note(req);
    onward.on('response', (reply) => {
      const { buffers } = this;
      const answer = { path, bytes: reply.rawHeaders.join('\r\n').length };
      this.answers.push(answer);
      reply.on('data', (part: Buffer) => (answer.bytes += part.length));
      const head = (): ServerResponse => res.writeHead(reply.statusCode ?? 502, reply.headers);
      if (!buffers) {
        head().flushHeaders();
        reply.pipe(res);
        return;
      }
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () => head().end(Buffer.concat(parts)));
    });
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    res.on('close', () => {
      this.streams.delete(req);
      onward.destroy();
    });
    req.pipe(onward);
  }
}
