import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy as companies have it between their machines and the world: it asks for a login and leads to wherever it is asked for. */
export class ForwardProxy implements AsyncDisposable {
  /** The places that it has led to. */
  readonly places: string[] = [];
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();
  readonly #login: string;

  private constructor(login: string) {
    this.#login = `Basic ${Buffer.from(login).toString('base64')}`;
    this.#server = createServer((request, response) => this.#forward(request, response));
    this.#server.on('connect', (request, client: Duplex) => this.#tunnel(request, client));
  }

  /** `login`: user and password with `:` between them. */
  static async start(login: string): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(login);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Its address, with a login or without one. */
  url(login = ''): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${login === '' ? '' : `${login}@`}127.0.0.1:${port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#tunnels) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #mayPass(request: IncomingMessage): boolean {
    return request.headers['proxy-authorization'] === this.#login;
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#mayPass(request)) return void response.writeHead(407).end();
    const url = new URL(request.url ?? '');
    this.places.push(url.host);
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = ask(url, { method: request.method ?? 'GET', headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  #tunnel(request: IncomingMessage, client: Duplex): void {
    client.on('error', () => client.destroy());
    if (!this.#mayPass(request))
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\n\r\n');
    const { hostname, port, host } = new URL(`http://${request.url}`);
    this.places.push(host);
    const server = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    for (const socket of [client, server]) this.#tunnels.add(socket);
  }
}
