import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { type Package, sha512 } from '../kit/packages.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A request as it came. */
interface Request {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  /** The name in the certificate of the client, if it has shown one. */
  readonly client: string | undefined;
}

type Member = Readonly<Record<string, unknown>>;

/** A small registry that says whatever a test wants. Without lies it is one like npm's: its search knows keywords. */
export class LyingRegistry implements AsyncDisposable {
  /** All that it was asked. */
  readonly requests: Request[] = [];
  /** Answers by the beginning of a path, in the place of its own. */
  readonly answers = new Map<string, Answer>();
  readonly #packages = new Map<
    string,
    { readonly versions: Map<string, Member>; readonly times: Record<string, string> }
  >();
  readonly #archives = new Map<string, Buffer>();
  readonly #server: Server;
  readonly #origin: string;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.#origin = origin;
  }

  /** `tls`: what it takes to speak https. */
  static async start(tls?: ServerOptions, host = '127.0.0.1'): Promise<LyingRegistry> {
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      registry.#answer(request, response);
    const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    const registry = new LyingRegistry(server, `${tls === undefined ? 'http' : 'https'}://${host}`);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return registry;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#origin}:${this.port}/`;
  }

  /** `dist` and `version`: members that the registry says otherwise than is so. */
  add(
    { name, version, packageJson, archive }: Package,
    said: { readonly dist?: Member; readonly version?: Member } = {},
  ): void {
    const path = `/${name}/-/${version}.tgz`;
    this.#archives.set(path, archive);
    const known = this.#packages.get(name) ?? { versions: new Map<string, Member>(), times: {} };
    this.#packages.set(name, known);
    known.times[version] = new Date(Date.UTC(2026, 0, 1 + known.versions.size)).toISOString();
    const dist = { integrity: sha512(archive), tarball: `${this.url}${path.slice(1)}`, ...said.dist };
    known.versions.set(version, { ...packageJson, dist, _npmUser: { name: 'alice' }, ...said.version });
  }

  withdraw(name: string, version: string): void {
    this.#packages.get(name)?.versions.delete(version);
  }

  /** Whether it was asked for a path that begins so. */
  wasAsked(path: string): boolean {
    return this.requests.some((one) => one.path.startsWith(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? '');
    const { authorization, range } = request.headers;
    const { socket } = request;
    const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : undefined;
    this.requests.push({ path, authorization, range, client: nameOf(certificate) });
    const [, own] = [...this.answers].find(([start]) => path.startsWith(start)) ?? [];
    if (own !== undefined) return own(request, response);
    const archive = this.#archives.get(path);
    const known = this.#packages.get(path.slice(1));
    if (path.startsWith('/-/v1/search'))
      sendJson(response, this.#found(new URL(path, this.url).searchParams));
    else if (archive !== undefined) response.end(archive);
    else if (known !== undefined)
      sendJson(response, {
        name: path.slice(1),
        versions: Object.fromEntries(known.versions),
        time: known.times,
      });
    else response.writeHead(404).end('{}');
  }

  #found(query: URLSearchParams): object {
    const words = (query.get('text') ?? '').split(' ').filter((word) => word !== '');
    const from = Number(query.get('from'));
    const fits = (one: Member): boolean =>
      words.every((word) =>
        word.startsWith('keywords:')
          ? (one['keywords'] as readonly string[]).includes(word.slice('keywords:'.length))
          : JSON.stringify(one).includes(word),
      );
    const all = Array.from(this.#packages.values(), ({ versions }) => [...versions.values()].at(-1)!).filter(
      fits,
    );
    return {
      objects: all.slice(from, from + Number(query.get('size'))).map((one) => ({ package: one })),
      total: all.length,
    };
  }
}

function nameOf(certificate: Partial<PeerCertificate> | undefined): string | undefined {
  const name = certificate?.subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}
