import { ErrorCode } from '@tagway/schemas';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Budget } from './budget.ts';
import { clientOf, type TrustedProxies } from './client-address.ts';
import type { Connection, Connections } from './connections.ts';
import { feedInSlices } from './feed.ts';

/** Requests of a connection that may wait for the one before them; what it sends beyond them is not read. */
const pipelinedMost = 8;

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
  /** Reads on when less than the most requests wait. */
  goOn?: () => void;
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
    socket.once('close', () => budget.note(client));
  }

  /** A connection has its parser. */
  parsed(socket: Socket): void {
    const line = this.#lineOf(socket);
    if (line !== undefined) line.goOn = feedInSlices(socket, () => line.waiting.length >= pipelinedMost);
  }

  /** A request came. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lineOf(request.socket);
    // Its connection was closed in the same turn of the loop.
    if (line === undefined || request.socket.destroyed) return;
    const { connection } = line;
    if (connection.underWay === undefined) return this.#begin(line, request, response);
    if (!connection.isProven) this.#options.budget.note(connection.client);
    line.waiting.push([request, response]);
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
      refuse: (seconds) => refuse(response, seconds),
    });
  }

  #next(line: Line): void {
    const next = line.waiting.shift();
    if (line.connection.socket.destroyed) line.waiting.length = 0;
    else if (next !== undefined) this.#begin(line, ...next);
    line.goOn?.();
  }

  #lineOf(socket: Socket): Line | undefined {
    const connection = this.#options.connections.of(socket);
    if (connection === undefined) return undefined;
    let line = this.#lines.get(connection);
    if (line === undefined) this.#lines.set(connection, (line = { connection, waiting: [] }));
    return line;
  }
}

const tooMuch =
  'Clients without a token have used up their share of the gateway. Log in and send the token, or ask again later.';
/** 429 in the shape of every error, and the end of the connection. */
function refuse(response: ServerResponse, seconds: number): void {
  const body = Buffer.from(JSON.stringify({ error: ErrorCode.BUSY, message: tooMuch }));
  response.writeHead(429, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Retry-After': seconds,
    Connection: 'close',
  });
  response.end(body);
}
