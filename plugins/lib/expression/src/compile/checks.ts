import { calculationFault, ExpressionError } from '../expression-fault.ts';
import { isNumber, isWhole, kindName } from '../kinds.ts';
import type { Kind } from '../kinds.ts';
import type { ASTNode } from '../parse/parse.ts';
import type { Compiler } from './compiler.ts';
import type { Part } from './part.ts';
import type { Fault } from '@tagway/sdk';

export function refusal(compiler: Compiler, node: ASTNode, sentence: string): ExpressionError {
  return new ExpressionError(compiler.text, node.pos, sentence);
}

/** What cannot be calculated there. It is made when it is needed for the first time: most never are, and an error with its stack is dear. */
export function faultAt({ text }: Compiler, { pos }: ASTNode, sentence: string): () => Fault {
  let fault: Fault | undefined;
  return () => (fault ??= calculationFault(text, pos, sentence));
}

/** The part of a node, which must be true or false. `what` names it in the refusal. */
export function conditionAt(compiler: Compiler, node: ASTNode, what: string): Part {
  const part = compiler.part(node);
  if (part.kind !== 'bool' && part.kind !== 'unknown') {
    const advice = isNumber(part.kind) ? ' Compare it, such as with != 0.' : '';
    throw refusal(compiler, node, `${what} is true or false, and this is ${kindName(part.kind)}.${advice}`);
  }
  return part;
}

export function numberAt(compiler: Compiler, node: ASTNode, what: string): Part {
  return ofKind(compiler, node, what, 'a number', isNumber);
}

export function wholeAt(compiler: Compiler, node: ASTNode, what: string): Part {
  return ofKind(compiler, node, what, 'a whole number', isWhole);
}

export function textAt(compiler: Compiler, node: ASTNode, what: string): Part {
  return ofKind(compiler, node, what, 'a text', (kind) => kind === 'string');
}

function ofKind(
  compiler: Compiler,
  node: ASTNode,
  what: string,
  expected: string,
  fits: (kind: Kind) => boolean,
): Part {
  const part = compiler.part(node);
  if (!fits(part.kind) && part.kind !== 'unknown') {
    const advice = part.kind === 'bool' && expected !== 'a text' ? ' int(…) makes 1 or 0 of it.' : '';
    throw refusal(compiler, node, `${what} is ${expected}, and this is ${kindName(part.kind)}.${advice}`);
  }
  return part;
}

/** A number that stands in the expression itself, with its sign. */
export function literalNumberAt(compiler: Compiler, node: ASTNode, what: string): number {
  const { literal } = compiler.part(node);
  if (typeof literal !== 'number')
    throw refusal(compiler, node, `${what} is a number that is written out, such as 60.`);
  return literal;
}

/** The part as a double. */
export function asDouble({ kind, run }: Part): () => number {
  if (kind === 'double') return run as () => number;
  return () => Number(run());
}
