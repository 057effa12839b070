import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import type { Method } from '../client.ts';

/** What is to be asked of the API. */
export interface Question {
  readonly method: Method;
  /** Path below /api/v2, with its query. */
  readonly path: string;
  readonly body?: object;
}

/** The bytes of an HTTP request. */
export function requestBytes(host: string, token: string, { method, path, body }: Question): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} /api/v2${path} HTTP/1.1`,
    `Host: ${host}`,
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
  #chunks: Buffer[] = [];
  #received = 0;
  #expected = Infinity;
  #settle: { resolve(body: string): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The gateway closed the connection.')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends one request and resolves when its reply is complete; with its first bytes. Rejects unless that is 200. */
  exchange(request: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#expected === Infinity) {
      this.#chunks = [Buffer.concat(this.#chunks)];
      this.#expected = replyLength(this.#chunks[0] as Buffer);
    }
    if (this.#received < this.#expected) return;
    const text = (this.#chunks[0] as Buffer).toString('latin1', 0, 500);
    this.#chunks = [];
    this.#received = 0;
    this.#expected = Infinity;
    if (text.startsWith('HTTP/1.1 200')) this.#settle?.resolve(text);
    else this.#settle?.reject(new Error(`The reply is not as expected: ${text}`));
  }
}

/** Length of the reply at the start of the data, infinite while its head is not complete. */
function replyLength(data: Buffer): number {
  const head = data.indexOf('\r\n\r\n');
  if (head === -1) return Infinity;
  const text = data.toString('latin1', 0, head);
  const length = /^content-length: *(\d+)/im.exec(text)?.[1];
  return length === undefined ? 0 : head + 4 + Number(length);
}
