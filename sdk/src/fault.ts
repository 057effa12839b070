import { errorMeaning } from '@tagway/schemas';

const brand = Symbol.for('tagway.fault');

export interface FaultOptions {
  /** False: trying again cannot help, so a failed start is not repeated. Default true. */
  readonly retry?: boolean;
  readonly cause?: unknown;
}

/**
 * An error with a code of the API's table, or of 10000 to 20000 for a plugin's own. A driver returns it in the place of
 * a point that failed, or throws it when the link is gone. Points fail often: keep one fault per cause and reuse it.
 */
export class Fault extends Error {
  readonly code: number;
  readonly retry: boolean;

  constructor(code: number, message: string = errorMeaning(code), options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.retry = options.retry ?? true;
    Object.defineProperty(this, brand, { value: true });
    // Until its stack is a text, an error holds whatever was called on the way to it. A fault is kept and reused: it would hold the plan of a
    // whole group that is gone.
    Reflect.get(this, 'stack');
  }
}

/** True for a fault of any copy of this SDK, which is why it does not ask `instanceof`. */
export function isFault(thing: unknown): thing is Fault {
  return typeof thing === 'object' && thing !== null && brand in thing;
}
