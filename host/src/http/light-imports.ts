import type KoaRouter from '@koa/router';
import type http from 'node:http';
import type https from 'node:https';
import { createRequire } from 'node:module';

/*
 * An `import` of node:http evaluates every export of it, among them WebSocket and its events, for which Node loads a whole
 * HTTP client: 13 MB of resident memory that a gateway has no use for. `require` evaluates nothing. The router's ES module
 * imports node:http in turn; its CommonJS form does not.
 */
const require = createRequire(import.meta.url);

export const { createServer } = require('node:http') as typeof http;

/** Loaded when it is called: a gateway without HTTPS does without it. */
export function createTlsServer(options: https.ServerOptions, listener: http.RequestListener): https.Server {
  return (require('node:https') as typeof https).createServer(options, listener);
}

export const Router = require('@koa/router') as typeof KoaRouter;
