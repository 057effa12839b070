import type { Client } from './client.ts';
import { sleep } from './until.ts';

/** Asks the API something simple again and again and remembers the slowest answer. */
export class ApiProbe {
  /** Milliseconds of the slowest answer so far. */
  slowest = 0;
  count = 0;
  #ended = false;
  readonly #loop: Promise<void>;

  constructor(client: Client) {
    this.#loop = this.#run(client);
    this.#loop.catch(() => undefined); // `stop` tells.
  }

  async #run(client: Client): Promise<void> {
    while (!this.#ended) {
      const from = performance.now();
      await client.ok('GET', this.count % 2 === 0 ? '/version' : '/node/state');
      this.slowest = Math.max(this.slowest, performance.now() - from);
      this.count += 1;
      await sleep(20);
    }
  }

  /** Ends the probe; rejects when an answer was missing or wrong. */
  async stop(): Promise<void> {
    this.#ended = true;
    await this.#loop;
  }
}
