import { ErrorCode } from '@tagway/schemas';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOf } from '../../core/logins/client.ts';
import type { TrustedProxies } from './client-address.ts';
import type { Connection, Connections } from './connections.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Requests of a connection that may wait for the one before them; what it sends beyond them is not read. */
const pipelinedMost = 8;
/** Bytes that the HTTP parser is given at once: by itself it makes requests of all that came, which may be thousands. */
const slice = 4096;

export interface RequestQueueOptions {
  readonly connections: Connections;
  readonly rateLimiter: RateLimiter;
  readonly proxies: TrustedProxies;
  /** Whether a request brings a token that was seen to be good. */
  readonly isKnown: (request: IncomingMessage) => boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The requests of a connection. */
interface Pipeline {
  readonly connection: Connection;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  /** The one that came last, whose body may still be on its way. */
  latest?: IncomingMessage;
  /** Gives the parser what the socket has received, unless enough is waiting. */
  feed?: () => void;
}

/**
 * Decides when a request is handled: those of one connection one after the other, and those without a token that is known to be
 * good as soon as the rate limit of their client allows it. A request whose connection is closed meanwhile is not handled at all.
 */
export class RequestQueue {
  readonly #options: RequestQueueOptions;
  readonly #pipelines = new WeakMap<Connection, Pipeline>();

  constructor(options: RequestQueueOptions) {
    this.#options = options;
  }

  /** A connection was made. */
  connected(socket: Socket): void {
    const { connections, proxies, rateLimiter } = this.#options;
    const address = socket.remoteAddress;
    // It is gone already.
    if (address === undefined) return void socket.destroy();
    const client = clientOf(address);
    const isProxy = proxies.has(address);
    if (!isProxy) rateLimiter.note(client);
    if (!isProxy && rateLimiter.isFarInDebt(client)) return void socket.destroy();
    connections.add(socket, client, isProxy);
    socket.once('close', () => rateLimiter.note(client));
  }

  /**
   * A connection has its parser, which listens for `data`. Once there is a listener for `readable`, too, Node emits `data` only for what
   * `read` returns; all else stays in the socket, which stops receiving when it holds much. `resume` is what Node calls when there is
   * room for more of a body.
   */
  parsed(socket: Socket): void {
    const pipeline = this.#pipelineOf(socket);
    if (pipeline === undefined) return;
    pipeline.feed = () => {
      while (!isFull(pipeline) && socket.read(Math.min(slice, socket.readableLength)) !== null);
    };
    socket.on('readable', pipeline.feed);
    socket.on('resume', pipeline.feed);
  }

  /** A request came. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const pipeline = this.#pipelineOf(request.socket);
    // Its connection was closed in the same pass of the event loop.
    if (pipeline === undefined || request.socket.destroyed) return;
    pipeline.latest = request;
    const { connection } = pipeline;
    if (connection.underWay === undefined) return this.#begin(pipeline, request, response);
    if (!connection.isProven) this.#options.rateLimiter.note(connection.client);
    pipeline.waiting.push([request, response]);
  }

  #begin(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    const { connections, isKnown, handle, proxies, rateLimiter } = this.#options;
    const { connection } = pipeline;
    connection.underWay = response;
    connection.activeAt = performance.now();
    response.once('prefinish', () => connections.written(connection, response));
    response.once('close', () => {
      connection.underWay = undefined;
      connection.activeAt = performance.now();
      this.#next(pipeline);
    });
    if (isKnown(request) || (connection.isProven && request.headers.authorization !== undefined)) {
      rateLimiter.noteOther();
      handle(request, response);
      return;
    }
    rateLimiter.admit(clientOf(proxies.addressOf(request)), {
      isOver: () => request.socket.destroyed,
      start: () => handle(request, response),
      refuse: (seconds) => refuse(response, seconds),
    });
  }

  #next(pipeline: Pipeline): void {
    const next = pipeline.waiting.shift();
    if (pipeline.connection.socket.destroyed) pipeline.waiting.length = 0;
    else if (next !== undefined) this.#begin(pipeline, ...next);
    pipeline.feed?.();
  }

  #pipelineOf(socket: Socket): Pipeline | undefined {
    const connection = this.#options.connections.of(socket);
    if (connection === undefined) return undefined;
    let pipeline = this.#pipelines.get(connection);
    if (pipeline === undefined) this.#pipelines.set(connection, (pipeline = { connection, waiting: [] }));
    return pipeline;
  }
}

/** Whether many requests of a connection wait, or more of a body than is read. */
function isFull({ connection, waiting, latest }: Pipeline): boolean {
  if (connection.socket.destroyed || waiting.length >= pipelinedMost) return true;
  return latest?.complete === false && latest.readableLength >= latest.readableHighWaterMark;
}

const overTheLimit =
  'Clients without a token have used up their share of the gateway. Log in and send the token, or ask again later.';
/** 429 in the shape of every error, and the end of the connection. */
function refuse(response: ServerResponse, seconds: number): void {
  const body = Buffer.from(JSON.stringify({ error: ErrorCode.BUSY, message: overTheLimit }));
  response.writeHead(429, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Retry-After': seconds,
    Connection: 'close',
  });
  response.end(body);
}
