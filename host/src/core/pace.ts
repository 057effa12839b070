import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds that work on many things may keep the event loop before others have their turn. */
const patience = 2;
/** Milliseconds of a turn that work gets although others have had all of it: many at once must come to an end, too. */
const share = 0.25;

/** When this turn of the event loop began, as far as paced work is concerned, which is what takes long in it. */
let began: number | undefined;

function beginning(now: number): number {
  if (began === undefined) {
    began = now;
    setImmediate(() => (began = undefined));
  }
  return began;
}

/**
 * The pace of work on very many things: it is done in pieces, between which the gateway does other things. Whatever follows each other
 * in one turn of the event loop counts together.
 */
export class Pace {
  #since = performance.now();
  #hasRested = false;

  constructor() {
    beginning(this.#since);
  }

  /** Whether others are to have their turn. */
  get isDue(): boolean {
    const now = performance.now();
    return now - this.#since >= share && now - beginning(now) >= patience;
  }

  /** Whether they had theirs before: the work is long. */
  get hasRested(): boolean {
    return this.#hasRested;
  }

  /** Lets them have it. */
  async rest(): Promise<void> {
    this.#hasRested = true;
    await turn();
    this.#since = performance.now();
  }
}
