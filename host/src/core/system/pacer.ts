import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds for which long work may keep the event loop before other work runs. */
const longest = 2;
/** Milliseconds that each piece of long work gets in any case, so that many pieces at once all make progress. */
const least = 0.25;

/** When the paced work of this pass of the event loop began. */
let began: number | undefined;

function beginning(now: number): number {
  if (began === undefined) {
    began = now;
    setImmediate(() => (began = undefined));
  }
  return began;
}

/**
 * Cuts work on very many things into pieces, between which the gateway does other things. All paced work of the host in one pass of the
 * event loop counts together.
 */
export class Pacer {
  #since = performance.now();
  #hasRested = false;

  constructor() {
    beginning(this.#since);
  }

  /** Whether other work is to run now. */
  get isDue(): boolean {
    const now = performance.now();
    return now - this.#since >= least && now - beginning(now) >= longest;
  }

  /** Whether other work has run before: this work is long. */
  get hasRested(): boolean {
    return this.#hasRested;
  }

  /** Lets other work run. */
  async rest(): Promise<void> {
    this.#hasRested = true;
    await nextTurn();
    this.#since = performance.now();
  }
}
