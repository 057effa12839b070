import { isNumber, isWhole, joined, kindName } from '../kinds.ts';
import type { Kind } from '../kinds.ts';
import type { ASTNode } from '../parse/parse.ts';
import { fitted, leastNumber } from '../whole-numbers.ts';
import { asDouble, faultAt, refusal } from './checks.ts';
import { literalPart, partOf } from './part.ts';
import type { Compiler } from './compiler.ts';
import type { Part } from './part.ts';

export type ArithmeticSign = '+' | '-' | '*' | '/' | '%';

/** Most characters that a text may have that is put together. */
const longestText = 65_535;

type Whole = () => number | bigint;

/** Calculates with whole numbers of one kind. `overflow` and `byZero` give what it throws. */
function wholeArithmetic(
  sign: ArithmeticSign,
  kind: Kind,
  a: Whole,
  b: Whole,
  overflow: () => Error,
  byZero: () => Error,
): Whole {
  const least = leastNumber(kind);
  const most = Number.MAX_SAFE_INTEGER;
  switch (sign) {
    case '+':
      return () => {
        const left = a();
        const right = b();
        if (typeof left === 'number' && typeof right === 'number') {
          const sum = left + right;
          if (sum >= least && sum <= most) return sum;
        }
        return fitted(BigInt(left) + BigInt(right), kind, overflow);
      };
    case '-':
      return () => {
        const left = a();
        const right = b();
        if (typeof left === 'number' && typeof right === 'number') {
          const difference = left - right;
          if (difference >= least && difference <= most) return difference;
        }
        return fitted(BigInt(left) - BigInt(right), kind, overflow);
      };
    case '*':
      return () => {
        const left = a();
        const right = b();
        if (typeof left === 'number' && typeof right === 'number') {
          // Adding 0 makes 0 of −0, which whole numbers do not have.
          const product = left * right + 0;
          if (product >= least && product <= most) return product;
        }
        return fitted(BigInt(left) * BigInt(right), kind, overflow);
      };
    case '/':
      return () => {
        const left = a();
        const right = b();
        if (right === 0) throw byZero();
        if (typeof left === 'number' && typeof right === 'number') return (left - (left % right)) / right + 0;
        return fitted(BigInt(left) / BigInt(right), kind, overflow);
      };
    case '%':
      return () => {
        const left = a();
        const right = b();
        if (right === 0) throw byZero();
        if (typeof left === 'number' && typeof right === 'number') return (left % right) + 0;
        return fitted(BigInt(left) % BigInt(right), kind, overflow);
      };
  }
}

function doubleArithmetic(sign: '+' | '-' | '*' | '/', a: () => number, b: () => number): () => number {
  switch (sign) {
    case '+':
      return () => a() + b();
    case '-':
      return () => a() - b();
    case '*':
      return () => a() * b();
    case '/':
      return () => a() / b();
  }
}

/** Puts two texts or two rows of bytes together. */
function concatenation(compiler: Compiler, node: ASTNode, left: Part, right: Part): Part {
  const tooLong = faultAt(compiler, node, `The result is longer than ${longestText} characters.`);
  const { run: a } = left;
  const { run: b } = right;
  if (left.kind === 'string')
    return partOf('string', [left, right], () => {
      const text = (a() as string) + (b() as string);
      if (text.length > longestText) throw tooLong();
      return text;
    });
  return partOf('bytes', [left, right], () => {
    const bytes = Buffer.concat([a() as Uint8Array, b() as Uint8Array]);
    if (bytes.length > longestText) throw tooLong();
    return bytes;
  });
}

/** What has no value while the types of its inputs are not known. */
export function unknownPart(kind: Kind, from: readonly Part[]): Part {
  // It is calculated only when an input has no type, and then the input throws its fault.
  return partOf(kind, from, () => {
    for (const { run } of from) run();
    return 0;
  });
}

export function arithmetic(
  compiler: Compiler,
  node: ASTNode,
  sign: ArithmeticSign,
  nodes: readonly [ASTNode, ASTNode],
): Part {
  const left = compiler.part(nodes[0]);
  const right = compiler.part(nodes[1]);
  return combined(compiler, node, sign, left, right, nodes);
}

/** Two parts with a sign between them. */
export function combined(
  compiler: Compiler,
  node: ASTNode,
  sign: ArithmeticSign,
  left: Part,
  right: Part,
  [leftNode, rightNode]: readonly [ASTNode, ASTNode] = [node, node],
): Part {
  const kind = joined(left.kind, right.kind);
  if (sign === '+' && (kind === 'string' || kind === 'bytes'))
    return concatenation(compiler, node, left, right);
  for (const [part, side, operand] of [
    [left, 'left', leftNode],
    [right, 'right', rightNode],
  ] as const) {
    if (part.kind === 'unknown' || isNumber(part.kind)) continue;
    const advice =
      part.kind === 'bool'
        ? ' int(…) makes 1 or 0 of it.'
        : sign === '+'
          ? ' string(…) makes a text of a number.'
          : '';
    throw refusal(
      compiler,
      operand,
      `${sign} takes numbers, and what stands ${side} of it is ${kindName(part.kind)}.${advice}`,
    );
  }
  if (kind === undefined || kind === 'unknown') return unknownPart('unknown', [left, right]);
  if (sign === '%' && !isWhole(kind))
    throw refusal(compiler, node, '% takes whole numbers; math.trunc and int make them of others.');
  const parts = [left, right];
  if (isWhole(kind)) {
    const overflow = faultAt(compiler, node, 'The result does not fit into 64 bits.');
    const byZero = faultAt(compiler, node, 'A whole number is divided by zero.');
    return partOf(
      kind,
      parts,
      wholeArithmetic(sign, kind, left.run as Whole, right.run as Whole, overflow, byZero),
    );
  }
  return partOf('double', parts, doubleArithmetic(sign as '+', asDouble(left), asDouble(right)));
}

export function negation(compiler: Compiler, node: ASTNode, of: ASTNode): Part {
  // The least number of 64 bits is written with a digit string that alone would be too large.
  if (of.op === 'value' && of.args === 0x8000_0000_0000_0000n) return literalPart('int', -of.args);
  const part = compiler.part(of);
  if (part.kind === 'unknown') return unknownPart('unknown', [part]);
  if (part.kind === 'double') {
    const run = part.run as () => number;
    return typeof part.literal === 'number'
      ? literalPart('double', -part.literal)
      : partOf('double', [part], () => -run());
  }
  if (!isWhole(part.kind))
    throw refusal(compiler, node, `− takes a number, and this is ${kindName(part.kind)}.`);
  if (typeof part.literal === 'number' && part.kind === 'int') return literalPart('int', 0 - part.literal);
  if (of.op === 'value' && part.kind === 'uint')
    throw refusal(compiler, node, 'A number with u has no sign.');
  return combined(compiler, node, '-', literalPart('int', 0), part);
}
