import type { Protocol } from '@tagway/sdk/link';
import { answerOf, frameLength, mostBytes, type Answer } from './protocol.ts';

/** There is nothing to agree on, and answers come in the order of requests. */
export class NonA11Session implements Protocol {
  readonly most = mostBytes;
  readonly #answered: (answer: Answer) => void;

  constructor(answered: (answer: Answer) => void) {
    this.#answered = answered;
  }

  length(bytes: Buffer, at: number, end: number): number {
    return frameLength(bytes, at, end);
  }

  frame(_session: undefined, data: Buffer, at: number, end: number): void {
    this.#answered(answerOf(data, at, end));
  }
}
