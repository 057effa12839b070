import { setTimeout as sleep } from 'node:timers/promises';
import { Centre } from './centre.ts';

/** A control centre that is always there: it connects again and again, starts and interrogates. */
export class PersistentCentre implements AsyncDisposable {
  readonly port: number;
  #taken = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(port: number) {
    this.port = port;
    this.#running = this.#run();
  }

  /** Objects that were reported because they have changed. */
  get taken(): number {
    return this.#taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await using centre = await Centre.start(this.port);
        centre.send(100, 6, 0, [20]);
        let seen = 0;
        while (!this.#isOver && !centre.isClosed) {
          const events = centre.reported.slice(seen);
          seen += events.length;
          this.#taken += events.filter(({ cause }) => cause === 3).length;
          await sleep(20);
        }
      } catch {
        // The next one may be served.
      }
      await sleep(50);
    }
  }
}
