import type { RequestListener, Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemReason } from '../core/system-error.ts';
import { makeApp, type HttpOptions } from './app.ts';
import { createServer, createTlsServer } from './light-imports.ts';

/** Connections that may be open at once; more are closed as they come. */
const connectionLimit = 1000;

/** Milliseconds that requests under way get when the server closes. */
const closeGrace = 2000;

/** A certificate chain and its key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** The management API over HTTP, or over HTTPS when there is a certificate. */
export class HttpServer {
  readonly #server: Server | TlsServer;

  constructor({ tls, ...options }: HttpOptions & { readonly tls?: TlsFiles }) {
    const handle = makeApp(options).callback();
    const listener: RequestListener = (request, response) => {
      request.url = originForm(request.url);
      // Koa answers, whatever happens; its promise says nothing more.
      void handle(request, response);
    };
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.maxConnections = connectionLimit;
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 60_000;
    this.#server.keepAliveTimeout = 65_000;
  }

  /** Resolves with the address once requests are answered; port 0 takes a free one. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, resolve);
    try {
      await promise;
    } catch (cause) {
      throw new Error(`The API cannot listen on ${host} port ${port}: ${systemReason(cause)}.`, { cause });
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
