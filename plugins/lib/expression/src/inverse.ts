import { scaleLine } from './functions/mathematics.ts';
import { parse } from './parse/parse.ts';
import type { ASTNode } from './parse/parse.ts';

/** The one tag that an expression stands for. */
export interface InverseFound {
  /** As it is written. */
  readonly reference: string;
  /** What the tag has to be for the expression to give a value. Absent: the same. */
  readonly toInput?: (value: number) => number;
}

/** The reference of `tag("…")`. */
function referenceOf(node: ASTNode | undefined): string | undefined {
  if (node?.op !== 'call') return undefined;
  const [name, [argument]] = node.args;
  return name === 'tag' && argument?.op === 'value' && typeof argument.args === 'string'
    ? argument.args
    : undefined;
}

function numberOf(node: ASTNode | undefined): number {
  if (node?.op === '-_') return -numberOf(node.args);
  return node?.op === 'value' ? Number(node.args) : NaN;
}

/** Of `tag("…")` and of `scale` of it: which tag it is, and how a value goes back. Undefined for everything else. */
export function inverse(text: string): InverseFound | undefined {
  const tree = parse(text);
  const reference = referenceOf(tree);
  if (reference !== undefined) return { reference };
  if (tree.op !== 'call' || tree.args[0] !== 'scale') return undefined;
  const args = tree.args[1];
  const scaled = referenceOf(args[0]);
  const line = scaleLine((index) => numberOf(args[index]));
  if (scaled === undefined || line === undefined) return undefined;
  const { factor, fromLow, toLow } = line;
  return { reference: scaled, toInput: (value) => fromLow + (value - toLow) / factor };
}
