import type KoaRouter from '@koa/router';
import type http from 'node:http';
import type https from 'node:https';
import { createRequire } from 'node:module';

/*
 * An `import` of node:http evaluates every export of it, among them WebSocket and its events, for which Node loads a whole
 * HTTP client: 13 MB of resident memory that a gateway has no use for. Asking for the module evaluates nothing. The router's ES module
 * imports node:http in turn; its CommonJS form does not.
 */
export const { createServer } = process.getBuiltinModule('node:http');

/** Loaded when it is called: a gateway without HTTPS does without it. */
export function createTlsServer(options: https.ServerOptions, listener: http.RequestListener): https.Server {
  return process.getBuiltinModule('node:https').createServer(options, listener);
}

export const Router = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter;
