import { setTimeout as sleep } from 'node:timers/promises';

/** A client of a server that is under test, which is always there: it connects again and again, and counts what it is given. */
export class PersistentClient implements AsyncDisposable {
  /** Of the server. */
  readonly port: number;
  /** What it was given. */
  taken = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  /** `visit` connects, counts until `isOver`, or the connection has ended, and disconnects. */
  constructor(port: number, visit: (client: PersistentClient) => Promise<void>) {
    this.port = port;
    this.#running = this.#run(visit);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(visit: (client: PersistentClient) => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      // The next one may be served.
      await visit(this).catch(() => undefined);
      await sleep(50);
    }
  }
}
