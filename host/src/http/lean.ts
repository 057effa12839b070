import type KoaRouter from '@koa/router';
import type http from 'node:http';
import { createRequire } from 'node:module';

/*
 * An `import` of node:http evaluates every export of it, among them WebSocket and its events, for which Node loads a whole
 * HTTP client: 13 MB of resident memory that a gateway has no use for. `require` evaluates nothing. The router's ES module
 * imports node:http in turn; its CommonJS form does not.
 */
const require = createRequire(import.meta.url);

export const { createServer } = require('node:http') as typeof http;

export const Router = require('@koa/router') as typeof KoaRouter;
