import { Fault } from '@tagway/sdk';

/** The code of what cannot be calculated: a division by zero, a number beyond 64 bits, a text that is no number. */
export const NOT_CALCULABLE = 12001;

/** A place in an expression, as people count: in a text of one line the character, otherwise the line as well. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return text.includes('\n') ? `Line ${line}, character ${column}` : `Character ${column}`;
}

/** What is wrong with the text of an expression, and where. */
export class ExpressionError extends Error {
  /** Index of the character where it is. */
  readonly at: number;

  constructor(text: string, at: number, sentence: string) {
    super(`${placeIn(text, at)}: ${sentence}`);
    this.name = 'ExpressionError';
    this.at = at;
  }
}

/** What cannot be calculated at a place of the expression. */
export function calculationFault(text: string, at: number, sentence: string): Fault {
  return new Fault(NOT_CALCULABLE, `${placeIn(text, at)}: ${sentence}`);
}
