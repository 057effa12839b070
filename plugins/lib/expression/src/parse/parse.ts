import { Environment, ParseError } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { ExpressionError } from '../expression-fault.ts';

export type { ASTNode };

/** Most bytes of an expression. */
export const longestExpression = 4096;
/** Most parts: with no loops in the language, an evaluation does no more than each part once. */
const mostParts = 1000;
const deepest = 50;

// The library's parser alone is used: its evaluation takes more than a microsecond for two operands, makes a BigInt of every whole
// number, and mixes no types.
const environment = new Environment({
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: mostParts, maxDepth: deepest, maxListElements: 250, maxCallArguments: 32 },
});

/** The words of a refusal by its code in the library, which gives them without an end and some in the words of a compiler. */
const sentences: Readonly<Record<string, string>> = {
  unterminated_string: 'The text that begins here has no closing quotation mark.',
  unterminated_triple_quoted_string: 'The text that begins here has no closing quotation marks.',
  newline_in_string: 'A text between single quotation marks ends on the line where it begins.',
  invalid_number: 'This is no number.',
  invalid_integer: 'This is no whole number of 64 bits.',
  invalid_hex_integer: 'This is no hexadecimal number of 64 bits.',
  invalid_exponent: 'The exponent of this number has no digits.',
  invalid_macro_argument: 'There is no function of lists here.',
  limit_exceeded: `The expression is too large: at most ${mostParts} parts, ${deepest} parentheses or calls in each other, 250 elements of a list.`,
};

const tokenNames: Readonly<Record<string, string>> = {
  EOF: 'the end of the expression',
  RPAREN: '")"',
  LPAREN: '"("',
  RBRACKET: '"]"',
  LBRACKET: '"["',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
  QUESTION: '"?"',
  IDENTIFIER: 'a name',
  NUMBER: 'a number',
  STRING: 'a text',
};

const tokenName = (token = ''): string => tokenNames[token] ?? 'an operator';

function sentenceOf({ code, summary }: ParseError): string {
  const known = sentences[code];
  if (known !== undefined) return known;
  const expected = /^Expected (\w+), got (\w+)$/.exec(summary);
  if (expected !== null)
    return `Here stands ${tokenName(expected[2])} in the place of ${tokenName(expected[1])}.`;
  const unexpected = /^Unexpected token: (\w+)$/.exec(summary);
  if (unexpected !== null) return `A value is missing here: there is ${tokenName(unexpected[1])}.`;
  return `${summary}.`;
}

/** The syntax tree of an expression. Throws an `ExpressionError`. */
export function parse(text: string): ASTNode {
  const bytes = Buffer.byteLength(text);
  if (bytes > longestExpression)
    throw new ExpressionError(
      text,
      0,
      `The expression has ${bytes} bytes; ${longestExpression} are the most.`,
    );
  if (text.trim() === '') throw new ExpressionError(text, 0, 'The expression is empty.');
  try {
    return environment.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw new ExpressionError(text, 0, 'The expression is too deep.');
    throw new ExpressionError(text, error.range?.start ?? 0, sentenceOf(error));
  }
}
