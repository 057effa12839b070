import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Method } from '../kit/client.ts';

/** What is to be asked of the API. */
export interface Question {
  readonly method: Method;
  /** Path below /api/v2, with its query. */
  readonly path: string;
  readonly body?: object;
}

/** The bytes of an HTTP request to a gateway at this URL. */
export function requestBytes(url: string, token: string, { method, path, body }: Question): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} /api/v2${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${token}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** A kept-alive connection that costs little more than its socket, so that the client is not what is measured. */
export class Connection {
  readonly #socket: Socket;
  /** What came of the reply so far. */
  #chunks: Buffer[] = [];
  #received = 0;
  #expected = Infinity;
  #reply = Promise.withResolvers<string>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#reply.reject(error));
    socket.on('close', () => this.#reply.reject(new Error('The gateway closed the connection.')));
  }

  static async open(url: string): Promise<Connection> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends one request and resolves when its reply is complete; with its first bytes. Rejects unless that is 200. */
  exchange(request: Buffer): Promise<string> {
    this.#reply = Promise.withResolvers();
    this.#socket.write(request);
    return this.#reply.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#expected === Infinity) {
      this.#chunks = [Buffer.concat(this.#chunks)];
      this.#expected = replyLength(this.#chunks[0]!);
    }
    if (this.#received < this.#expected) return;
    const text = this.#chunks[0]!.toString('latin1', 0, 500);
    this.#chunks = [];
    this.#received = 0;
    this.#expected = Infinity;
    if (text.startsWith('HTTP/1.1 200')) this.#reply.resolve(text);
    else this.#reply.reject(new Error(`The reply is not as expected: ${text}`));
  }
}

/** Length of the reply at the start of the data, infinite while its head is not complete. */
function replyLength(data: Buffer): number {
  const head = data.indexOf('\r\n\r\n');
  if (head === -1) return Infinity;
  const length = /^content-length: *(\d+)/im.exec(data.toString('latin1', 0, head))?.[1];
  return length === undefined ? 0 : head + 4 + Number(length);
}
