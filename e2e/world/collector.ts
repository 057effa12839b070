import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Posted {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP server that takes everything that is posted to it, unless its status says otherwise. */
export class Collector {
  readonly port: number;
  readonly posted: Posted[] = [];
  status = 204;
  readonly #close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  static async start(port = 0): Promise<Collector> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { url = '', headers } = request;
        if (collector.status < 300)
          collector.posted.push({ url, headers, body: Buffer.concat(parts).toString() });
        response.writeHead(collector.status).end();
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const collector = new Collector((server.address() as AddressInfo).port, () => {
      server.close();
      server.closeAllConnections();
    });
    return collector;
  }

  stop(): Promise<void> {
    this.#close();
    return Promise.resolve();
  }
}
