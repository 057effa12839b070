import type http from 'node:http';
import type https from 'node:https';

// Their imports would evaluate every export, for which Node loads an HTTP client that a gateway has no use for.
export const { createServer } = process.getBuiltinModule('node:http');

/** Loaded when it is called: a gateway without HTTPS does without it. */
export function createTlsServer(options: https.ServerOptions, listener: http.RequestListener): https.Server {
  return process.getBuiltinModule('node:https').createServer(options, listener);
}
