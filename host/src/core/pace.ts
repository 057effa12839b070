import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds that work on many things may keep the event loop before others have their turn. */
const patience = 4;

/** The pace of work on very many things: it is done in pieces, between which the gateway does other things. */
export class Pace {
  #since = performance.now();

  /** Whether others are to have their turn. */
  get isDue(): boolean {
    return performance.now() - this.#since >= patience;
  }

  /** Lets them have it. */
  async rest(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}
