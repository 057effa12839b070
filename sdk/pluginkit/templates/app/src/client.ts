import * as http from 'node:http';
import * as https from 'node:https';

/** The server will not take this body, however often it is posted. */
export class Refusal extends Error {}

/** Statuses that say so: what is sent is wrong, too large or of a kind that it does not know. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422]);

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

  /** Rejects when the server is not there, does not answer in time or does not say that all is well; with a `Refusal` when it never will. */
  post(body: Uint8Array, signal: AbortSignal): Promise<void> {
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
            else {
              const Reason = refusals.has(statusCode) ? Refusal : Error;
              reject(new Reason(`The server answered ${statusCode}.`));
            }
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
