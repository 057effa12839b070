import { ErrorCode } from '@tagway/schemas';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Budget } from './budget.ts';
import { clientOf, type TrustedProxies } from './client-address.ts';
import type { Connection, Connections } from './connections.ts';

/** Requests of a connection that may wait for the one before them. */
const pipelinedMost = 32;

export interface TurnOptions {
  readonly connections: Connections;
  readonly budget: Budget;
  readonly proxies: TrustedProxies;
  /** Whether a request brings a token that was seen to be good. */
  readonly isKnown: (request: IncomingMessage) => boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

interface Line {
  readonly connection: Connection;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  isClosing: boolean;
}

/**
 * Decides when a request is handled: those of one connection one after the other, and those without a token that is known to be
 * good when the budget of their client allows it. A request whose connection is closed meanwhile is not handled at all.
 */
export class Turns {
  readonly #options: TurnOptions;
  readonly #lines = new WeakMap<Connection, Line>();

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** A connection was made. */
  connected(socket: Socket): void {
    const { budget, connections, proxies } = this.#options;
    const address = socket.remoteAddress;
    // It is gone already.
    if (address === undefined) return void socket.destroy();
    const client = clientOf(address);
    const isProxy = proxies.has(address);
    if (!isProxy) budget.note(client);
    if (!isProxy && budget.isFarInDebt(client)) return void socket.destroy();
    connections.add(socket, client, isProxy);
  }

  /** A request came. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#options.connections.of(request.socket);
    // Its connection was closed in the same turn of the loop.
    if (connection === undefined || request.socket.destroyed) return;
    let line = this.#lines.get(connection);
    if (line === undefined)
      this.#lines.set(connection, (line = { connection, waiting: [], isClosing: false }));
    if (line.isClosing) return;
    if (connection.underWay === undefined) return this.#begin(line, request, response);
    line.waiting.push([request, response]);
    if (line.waiting.length > pipelinedMost) line.isClosing = true;
  }

  #begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    const { budget, connections, isKnown, handle, proxies } = this.#options;
    const { connection } = line;
    connection.underWay = response;
    connection.activeAt = performance.now();
    response.once('prefinish', () => connections.written(connection, response));
    response.once('close', () => {
      connection.underWay = undefined;
      connection.activeAt = performance.now();
      this.#next(line);
    });
    if (isKnown(request) || (connection.isProven && request.headers.authorization !== undefined)) {
      budget.noteOther();
      handle(request, response);
      return;
    }
    budget.admit(clientOf(proxies.addressOf(request)), {
      isOver: () => request.socket.destroyed,
      start: () => handle(request, response),
      refuse: (seconds) => refuse(response, tooMuch, seconds),
    });
  }

  #next(line: Line): void {
    const next = line.waiting.shift();
    if (next === undefined || line.connection.socket.destroyed) {
      line.waiting.length = 0;
      return;
    }
    if (line.isClosing && line.waiting.length === 0) return refuse(next[1], tooManyAtOnce, 1);
    this.#begin(line, ...next);
  }
}

const tooMuch =
  'Clients without a token have used up their share of the gateway. Log in and send the token, or ask again later.';
const tooManyAtOnce = `A connection may have ${pipelinedMost} requests waiting, and this one has more. Wait for replies before you ask again.`;

/** 429 in the shape of every error, and the end of the connection. */
function refuse(response: ServerResponse, message: string, seconds: number): void {
  const body = Buffer.from(JSON.stringify({ error: ErrorCode.BUSY, message }));
  response.writeHead(429, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Retry-After': seconds,
    Connection: 'close',
  });
  response.end(body);
}
