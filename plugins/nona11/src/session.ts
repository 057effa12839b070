import type { Protocol } from '@tagway/sdk/link';
import { answerOf, frameLength, mostBytes, type Answer } from './protocol.ts';

/** Framing of A11: there is nothing to agree on, and answers come in the order of requests. */
export class Session implements Protocol {
  readonly most = mostBytes;
  readonly length = frameLength;
  readonly #answered: (answer: Answer) => void;

  constructor(answered: (answer: Answer) => void) {
    this.#answered = answered;
  }

  frame(_session: undefined, data: Buffer, at: number, end: number): void {
    this.#answered(answerOf(data, at, end));
  }
}
