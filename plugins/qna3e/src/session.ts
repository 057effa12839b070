import type { Protocol } from '@tagway/sdk/link';
import { dataOf, endCodeOf, frameLength, mostBytes } from './protocol.ts';

/** What a reply says. */
export interface Reply {
  /** 0 is success. */
  readonly endCode: number;
  readonly data: Buffer;
}

/** Framing of 3E: there is nothing to agree on, and replies come in the order of requests. */
export class Session implements Protocol {
  readonly most = mostBytes;
  readonly #route: Buffer;
  readonly #replied: (reply: Reply) => void;

  constructor(route: Buffer, replied: (reply: Reply) => void) {
    this.#route = route;
    this.#replied = replied;
  }

  length(bytes: Buffer, at: number, end: number): number {
    return frameLength(this.#route, bytes, at, end);
  }

  frame(_session: undefined, data: Buffer, at: number, end: number): void {
    this.#replied({ endCode: endCodeOf(data, at), data: dataOf(data, at, end) });
  }
}
