import { ExpressionError } from '@tagway/expression';

/** A piece of an address, and where it begins. */
export interface Piece {
  readonly text: string;
  readonly at: number;
}

export interface SplitCall {
  readonly name: Piece;
  readonly args: readonly Piece[];
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const begin = /^\s*([a-z_]+)\s*\(/;

/** A piece without the blanks around it. */
export function trimmed(text: string, at: number): Piece {
  const rest = text.trimStart();
  return { text: rest.trimEnd(), at: at + text.length - rest.length };
}

/** Divides `name(argument, argument, …)` at its own commas: not at those in a text, a remark, parentheses or a list. Throws an `ExpressionError`. */
export function splitCall(address: string): SplitCall {
  const found = begin.exec(address);
  if (found === null)
    throw new ExpressionError(
      address,
      0,
      'An alarm begins with the name of its condition and a parenthesis: high(tag("node/group/tag"), 90).',
    );
  const name = trimmed(address.slice(0, found[0].length - 1), 0);
  const args: Piece[] = [];
  const open = [')'];
  let from = found[0].length;
  let at = from;
  while (at < address.length) {
    const character = address[at]!;
    const skipped = skip(address, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (character === ',' && open.length === 1) {
      args.push(trimmed(address.slice(from, at), from));
      from = at + 1;
    } else if (closing[character] !== undefined) open.push(closing[character]);
    else if (character === open.at(-1)) {
      open.pop();
      if (open.length === 0)
        return ended(address, name, [...args, trimmed(address.slice(from, at), from)], at + 1);
    }
    at++;
  }
  throw new ExpressionError(address, address.length, 'A closing parenthesis is missing here.');
}

function ended(address: string, name: Piece, args: readonly Piece[], end: number): SplitCall {
  const rest = trimmed(address.slice(end), end);
  if (rest.text !== '')
    throw new ExpressionError(address, rest.at, 'The definition of the alarm has ended before this.');
  return { name, args };
}

/** The end of the text or remark that begins at a place; the place itself where none does. */
function skip(address: string, at: number): number {
  if (address.startsWith('//', at)) {
    const end = address.indexOf('\n', at);
    return end < 0 ? address.length : end;
  }
  const quote = address[at]!;
  if (quote !== '"' && quote !== "'") return at;
  const triple = quote.repeat(3);
  const ending = address.startsWith(triple, at) ? triple : quote;
  let place = at + ending.length;
  while (place < address.length) {
    if (address.startsWith(ending, place)) return place + ending.length;
    place += address[place] === '\\' ? 2 : 1;
  }
  return address.length;
}

/** An embedded expression with blanks in the place of what is before it, so that every place that a sentence names is one of the address. */
export function inPlace(address: string, { at, text }: Piece): string {
  return address.slice(0, at).replace(/[\ud800-\udbff][\udc00-\udfff]|[^\n]/g, ' ') + text;
}
