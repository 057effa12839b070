import { isNumber, joined, kindName } from '../kinds.ts';
import type { Kind, Operand } from '../kinds.ts';
import type { ASTNode } from '../parse/parse.ts';
import { unknownPart } from './arithmetic.ts';
import { refusal } from './checks.ts';
import { partOf } from './part.ts';
import type { Compiler } from './compiler.ts';
import type { Part } from './part.ts';

export type ComparisonSign = '==' | '!=' | '<' | '<=' | '>' | '>=';

function areEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Whether two values of kinds that may be compared are the same; whole numbers exactly, whatever they are held in. */
export function equality(left: Part, right: Part): () => boolean {
  const a = left.run;
  const b = right.run;
  if (left.kind === 'bytes') return () => areEqualBytes(a() as Uint8Array, b() as Uint8Array);
  if (!isNumber(left.kind)) return () => a() === b();
  return () => {
    const one = a() as number | bigint;
    const other = b() as number | bigint;
    // A bigint that equals a number is not identical with it, but neither less nor greater.
    return one <= other && one >= other;
  };
}

type Ordered = number | bigint | string;

/** −1, 0 or 1 for bytes. */
const bytesOrder = (one: Operand, other: Operand): number =>
  Buffer.compare(one as Uint8Array, other as Uint8Array);

function ordering(sign: '<' | '<=' | '>' | '>=', kind: Kind, left: Part, right: Part): () => boolean {
  const isBytes = kind === 'bytes';
  const a = (isBytes ? () => bytesOrder(left.run(), right.run()) : left.run) as () => Ordered;
  const b = (isBytes ? () => 0 : right.run) as () => Ordered;
  switch (sign) {
    case '<':
      return () => a() < b();
    case '<=':
      return () => a() <= b();
    case '>':
      return () => a() > b();
    case '>=':
      return () => a() >= b();
  }
}

export function comparison(
  compiler: Compiler,
  node: ASTNode,
  sign: ComparisonSign,
  nodes: readonly [ASTNode, ASTNode],
): Part {
  const left = compiler.part(nodes[0]);
  const right = compiler.part(nodes[1]);
  const kind = comparable(compiler, node, left, right);
  const parts = [left, right];
  if (kind === 'unknown') return unknownPart('bool', parts);
  if (sign === '==') return partOf('bool', parts, equality(left, right));
  if (sign === '!=') {
    const areEqual = equality(left, right);
    return partOf('bool', parts, () => !areEqual());
  }
  return partOf('bool', parts, ordering(sign, kind, left, right));
}

function comparable(compiler: Compiler, node: ASTNode, left: Part, right: Part): Kind {
  const kind = joined(left.kind, right.kind);
  if (kind !== undefined) return kind;
  const isBoolean = left.kind === 'bool' || right.kind === 'bool';
  const advice = isBoolean
    ? ' A tag that is true or false needs no comparison; int(…) makes 1 or 0 of it.'
    : '';
  throw refusal(
    compiler,
    node,
    `What is compared is ${kindName(left.kind)} and ${kindName(right.kind)}, which are never equal.${advice}`,
  );
}

/** `x in [a, b]`: one of the list equals it. */
export function membership(compiler: Compiler, node: ASTNode, nodes: readonly [ASTNode, ASTNode]): Part {
  const [wanted, list] = nodes;
  if (list.op !== 'list')
    throw refusal(compiler, list, 'After in stands a list in brackets, such as [1, 2, 3].');
  const one = compiler.part(wanted);
  const others = list.args.map((element) => compiler.part(element));
  const parts = [one, ...others];
  const kinds = others.map((other) => comparable(compiler, node, one, other));
  if (kinds.includes('unknown')) return unknownPart('bool', parts);
  let value: Operand = 0;
  const held: Part = { kind: one.kind, run: () => value, inputs: one.inputs };
  const tests = others.map((other) => equality(held, other));
  return partOf('bool', parts, () => {
    value = one.run();
    for (const test of tests) if (test()) return true;
    return false;
  });
}
