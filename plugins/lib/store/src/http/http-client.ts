import type { Agent, IncomingHttpHeaders, request as requestOf } from 'node:http';
import type { ConnectionOptions } from 'node:tls';
import type { LinkStep } from '@tagway/sdk';
import { followSteps } from '../socket-steps.ts';
import { Unavailable } from '../store.ts';
import { type ServerWords, tlsProblem } from '../tls.ts';
import { hostOf, portOf, proxyAuthorization } from './addresses.ts';
import { tunnelsThrough } from './tunnels.ts';

/** Bytes of an answer that are kept: they say why something was refused. */
const longestAnswer = 65_536;

/** Bytes in a part of a body below which parts are put together: to send one by itself costs more than to copy it. */
const smallPart = 16_384;

/** Milliseconds that an idle connection is kept. */
const keepAlive = 60_000;

const words: ServerWords = {
  server: 'server',
  place: '"url"',
  plain: 'set "url" to an address with http://, or to the port for TLS',
};

export interface HttpServer {
  readonly url: URL;
  /** Used where the URL begins with https. */
  readonly tls?: ConnectionOptions;
  /** A proxy that the way leads through, with user and password if it wants them. */
  readonly proxy?: URL | undefined;
}

export interface HttpRequest {
  readonly method: string;
  /** With the query; that of the server's URL when it is left out. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the body, one after the other. */
  readonly body?: readonly Uint8Array[];
  readonly signal: AbortSignal;
  /** Called as each step of opening a connection begins, if one is opened. */
  readonly onStep?: (step: 'resolve' | 'connect' | 'handshake') => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The first part of the body. */
  readonly text: string;
}

/** One connection to an HTTP server, kept between requests, which come one after the other. */
export class HttpClient {
  readonly #server: HttpServer;
  readonly #agent: Agent;
  readonly #send: typeof requestOf;
  readonly #isSecure: boolean;

  constructor(server: HttpServer) {
    this.#server = server;
    this.#isSecure = server.url.protocol === 'https:';
    const options = { keepAlive: true, keepAliveMsecs: keepAlive, maxSockets: 1 };
    // Loaded only when a node runs: they take memory that the check of settings does not need.
    const { Agent, request } = process.getBuiltinModule(this.#isSecure ? 'node:https' : 'node:http');
    this.#send = request;
    this.#agent =
      this.#isSecure && server.proxy !== undefined
        ? tunnelsThrough(server.proxy, { ...options, ...server.tls })
        : new Agent({ ...options, ...server.tls });
  }

  /** Where requests go, for sentences: without user, password and query. */
  get name(): string {
    const { protocol, host, pathname } = this.#server.url;
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  }

  /** The answer of the server, whatever its status. Rejects with Unavailable when there is none. */
  async request(request: HttpRequest): Promise<HttpAnswer> {
    const first = await this.#once(request);
    if (!('wasReused' in first)) return first;
    // The server has closed the connection that was kept. It may have done so with the request in its hands; who sends it knows repetitions.
    const second = first.wasReused ? await this.#once(request) : first;
    if ('wasReused' in second) throw second.failure;
    return second;
  }

  /** Closes the connection. The next request opens another one. */
  close(): void {
    this.#agent.destroy();
  }

  #once({
    method,
    path,
    headers,
    body = [],
    signal,
    onStep,
  }: HttpRequest): Promise<HttpAnswer | { readonly failure: Unavailable; readonly wasReused: boolean }> {
    const { url, proxy } = this.#server;
    const isForwarded = proxy !== undefined && !this.#isSecure;
    const target = path ?? `${url.pathname}${url.search}`;
    const at = isForwarded ? proxy : url;
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const parts = length < smallPart * body.length ? [Buffer.concat(body, length)] : body;
    const options = {
      agent: this.#agent,
      method,
      host: hostOf(at),
      port: portOf(at),
      path: isForwarded ? `http://${url.host}${target}` : target,
      headers: {
        ...headers,
        host: url.host,
        'content-length': String(length),
        ...(isForwarded && proxyAuthorization(proxy)),
      },
    };
    return new Promise((resolve) => {
      let step: LinkStep = 'first answer';
      const sent = this.#send(options);
      const abort = (): void => void sent.destroy();
      const failed = (error: Error): void => {
        signal.removeEventListener('abort', abort);
        resolve({ failure: this.#failure(error, step), wasReused: sent.reusedSocket && !signal.aborted });
      };
      // The signal outlives the request. Node's own option for it would make several objects for each.
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      sent.on('error', failed);
      sent.on('socket', (socket) => {
        if (!socket.connecting) return;
        followSteps(socket, { host: hostOf(at), isSecure: this.#isSecure }, (next) => {
          step = next;
          if (next !== 'first answer') onStep?.(next);
        });
      });
      sent.on('response', (answer) => {
        step = 'first answer';
        const texts: Buffer[] = [];
        let kept = 0;
        const done = (): void => {
          signal.removeEventListener('abort', abort);
          const text = Buffer.concat(texts).toString('utf8', 0, longestAnswer);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        };
        answer.on('error', failed);
        answer.on('end', done);
        answer.on('data', (part: Buffer) => {
          texts.push(part);
          kept += part.length;
          if (kept <= longestAnswer) return;
          // An answer without end is not read.
          done();
          answer.destroy();
        });
      });
      for (const part of parts) sent.write(part);
      sent.end();
    });
  }

  #failure(error: Error & { readonly code?: unknown }, step: LinkStep): Unavailable {
    if (error instanceof Unavailable) return error;
    const text = this.#isSecure ? tlsProblem(error, words) : undefined;
    const { url, proxy } = this.#server;
    const place = proxy === undefined ? url.host : `the proxy ${proxy.host}`;
    const at = text === undefined ? stepOf(error, step) : 'handshake';
    return new Unavailable(text ?? sentenceOf(error, place), { step: at, cause: error });
  }
}

function stepOf({ code }: { readonly code?: unknown }, step: LinkStep): LinkStep {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'resolve';
  return code === 'ECONNREFUSED' ? 'connect' : step;
}

function sentenceOf(error: Error & { readonly code?: unknown }, place: string): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `${place} refuses the connection. Is the server running there?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of ${place} cannot be resolved. Check "url", and the DNS servers of this machine.`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `There is no way in the network to ${place}.`;
    case 'ETIMEDOUT':
      return `${place} does not answer.`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${place} has closed the connection without an answer.`;
    default:
      return /^HPE_/.test(String(error.code))
        ? `What ${place} answers is not HTTP. Check "url".`
        : `The request to ${place} has failed: ${error.message || String(error.code)}.`;
  }
}
