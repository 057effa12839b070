import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { listenError } from '../core/system/listening.ts';
import { makeApp, type HttpOptions } from './app.ts';
import { Access } from './auth/access.ts';
import { TrustedProxies } from './guard/client-address.ts';
import { Connections } from './guard/connections.ts';
import { RateLimiter } from './guard/rate-limiter.ts';
import { RequestQueue } from './guard/request-queue.ts';

/** Milliseconds that requests under way get when the server closes. */
const closeGrace = 2000;

/** Milliseconds, and what is over them is looked for each second. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  handshakeTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};

/** A certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** The management API over HTTP, or over HTTPS when there is a certificate. */
export class HttpServer {
  readonly #server: Server | TlsServer;
  readonly #rateLimiter = new RateLimiter();

  constructor({ tls, ...options }: HttpOptions & { readonly tls?: TlsFiles }) {
    const access = new Access(options);
    const connections = new Connections();
    const proven = (request: IncomingMessage): void => {
      const connection = connections.of(request.socket);
      if (connection !== undefined) connection.isProven = true;
    };
    const answer = makeApp(options, { access, proven }).callback();
    const queue = new RequestQueue({
      connections,
      rateLimiter: this.#rateLimiter,
      proxies: options.proxies ?? new TrustedProxies(),
      isKnown: (request) => access.isKnown(request),
      handle: (request, response) => {
        request.url = originForm(request.url);
        // Koa answers, whatever happens; its promise says nothing more.
        void answer(request, response);
      },
    });
    const listener: RequestListener = (request, response) => queue.take(request, response);
    this.#server =
      tls === undefined
        ? process.getBuiltinModule('node:http').createServer(timeouts, listener)
        : // Loaded here alone: a gateway without HTTPS does without it.
          process.getBuiltinModule('node:https').createServer({ ...timeouts, ...tls }, listener);
    // Of a connection itself, below that of TLS.
    this.#server.prependListener('connection', (socket: Socket) => queue.connected(socket));
    // After the listener that gives the connection its parser.
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      queue.parsed(socket),
    );
    // A body is asked for when it is to be read: a client without a token does not send it in vain.
    this.#server.on('checkContinue', listener);
  }

  /** Resolves with the address once requests are answered; port 0 takes a free one. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, resolve);
    try {
      await promise;
    } catch (cause) {
      throw listenError(host, port, cause);
    }
    this.#server.off('error', reject);
    return this.#server.address() as AddressInfo;
  }

  /** Connections made from now on get this certificate. */
  setTls(tls: TlsFiles): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(tls);
  }

  /** Takes no more requests, lets those under way finish for a moment, and resolves when all connections are closed. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const all = setTimeout(() => this.#server.closeAllConnections(), closeGrace);
    await promise;
    this.#rateLimiter.close();
    clearInterval(idle);
    clearTimeout(all);
  }
}

/** The path and query of a request target. A proxy's form, `http://host/path`, is legal too; other forms name no endpoint. */
function originForm(target: string | undefined): string {
  if (target?.startsWith('/') === true) return target;
  const url = URL.parse(target ?? '');
  return url === null ? '/' : url.pathname + url.search;
}
