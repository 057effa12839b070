import * as http from 'node:http';
import * as https from 'node:https';

/** Posts JSON over one connection that is kept open. */
export class Client {
  readonly #url: URL;
  readonly #timeout: number;
  readonly #protocol: typeof http | typeof https;
  readonly #agent: http.Agent;

  constructor(url: string, timeout: number) {
    this.#url = new URL(url);
    this.#timeout = timeout;
    this.#protocol = this.#url.protocol === 'https:' ? https : http;
    this.#agent = new this.#protocol.Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Rejects when the server is not there, does not answer in time or does not say that all is well. */
  post(body: Buffer, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const request = this.#protocol.request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers, signal },
        (reply) => {
          const { statusCode = 0 } = reply;
          reply.on('error', reject);
          reply.on('end', () => {
            if (statusCode >= 200 && statusCode < 300) resolve();
            else reject(new Error(`The server answered ${statusCode}.`));
          });
          // What it says beside the status is of no interest.
          reply.resume();
        },
      );
      const deadline = setTimeout(
        () => request.destroy(new Error('The server did not answer in time.')),
        this.#timeout,
      );
      request.on('close', () => {
        clearTimeout(deadline);
        reject(new Error('The connection was closed.'));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
