import { setTimeout as sleep } from 'node:timers/promises';
import { Master } from './master.ts';

/** A master that is always there: it connects again and again, and polls two registers. */
export class PersistentMaster implements AsyncDisposable {
  readonly port: number;
  #taken = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(port: number) {
    this.port = port;
    this.#running = this.#run();
  }

  /** Values that it was given. */
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
        await using master = await Master.connect(this.port);
        while (!this.#isOver && !master.isClosed) {
          const answer = await Promise.race([master.ask('03 0000 0002'), sleep(1000)]);
          if (answer?.startsWith('0304') === true) this.#taken++;
          await sleep(400);
        }
      } catch {
        // The next one may be served.
      }
      await sleep(50);
    }
  }
}
