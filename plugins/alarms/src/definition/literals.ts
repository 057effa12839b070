import { ExpressionError } from '@tagway/expression';
import type { Piece } from './split.ts';

/** What stands in a definition itself, not calculated. */
export type Literal = number | bigint | string | boolean;

const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** A number, or throws an `ExpressionError`. */
export function numberOf(address: string, { at, text }: Piece, what: string): number {
  const number = decimal.test(text) ? Number(text) : NaN;
  if (Number.isFinite(number)) return number;
  throw new ExpressionError(address, at, `${what} is a number that is written out, such as 90 or -2.5.`);
}

/** A number that is 0 or more. */
export function lengthOf(address: string, piece: Piece, what: string): number {
  const number = numberOf(address, piece, what);
  if (number >= 0) return number;
  throw new ExpressionError(address, piece.at, `${what} cannot be less than 0.`);
}

/** `true` or `false`. */
export function truthOf(address: string, { at, text }: Piece, what: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ExpressionError(address, at, `${what} is true or false.`);
}

/** A whole number of 64 bits that is more than a number can hold exactly. */
const isInexact = (number: number, text: string): boolean =>
  !Number.isSafeInteger(number) && /^-?\d+$/.test(text);

/** A number, a text in double quotes, true or false. */
export function literalOf(address: string, piece: Piece): Literal {
  const { at, text } = piece;
  if (text === 'true' || text === 'false') return text === 'true';
  if (text.startsWith('"')) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (typeof parsed === 'string') return parsed;
    } catch {
      throw new ExpressionError(address, at, 'This text in double quotes is not complete, or not a text.');
    }
  }
  const number = decimal.test(text) ? numberOf(address, piece, 'What is compared with') : undefined;
  if (number !== undefined) return isInexact(number, text) ? BigInt(text) : number;
  throw new ExpressionError(
    address,
    at,
    'What is compared with is written out: a number, a text in double quotes, true or false.',
  );
}
