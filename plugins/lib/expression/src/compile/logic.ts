import { joined, kindName } from '../kinds.ts';
import type { Kind } from '../kinds.ts';
import type { ASTNode } from '../parse/parse.ts';
import { asDouble, conditionAt, refusal } from './checks.ts';
import { partOf } from './part.ts';
import type { Compiler } from './compiler.ts';
import type { Part } from './part.ts';

/**
 * && and ||. One side that decides the result is enough, on whichever side it stands: the fault of the other does not count then. `decides`
 * is the value that does.
 */
export function connective(compiler: Compiler, sign: '&&' | '||', nodes: readonly [ASTNode, ASTNode]): Part {
  const left = conditionAt(compiler, nodes[0], `What stands left of ${sign}`);
  const right = conditionAt(compiler, nodes[1], `What stands right of ${sign}`);
  const decides = sign === '||';
  const { run: a } = left;
  const { run: b } = right;
  return partOf('bool', [left, right], () => {
    let first: unknown;
    try {
      first = a();
    } catch (fault) {
      if (b() === decides) return decides;
      throw fault;
    }
    return first === decides ? decides : b();
  });
}

export function not(compiler: Compiler, of: ASTNode): Part {
  const part = conditionAt(compiler, of, 'What stands after !');
  const { run } = part;
  return partOf('bool', [part], () => !run());
}

/** `condition ? one : other`: the branch that is not taken is not calculated, so its fault does not count. */
export function choice(compiler: Compiler, node: ASTNode, nodes: readonly [ASTNode, ASTNode, ASTNode]): Part {
  const condition = conditionAt(compiler, nodes[0], 'What stands before ?');
  const yes = compiler.part(nodes[1]);
  const no = compiler.part(nodes[2]);
  const parts = [condition, yes, no];
  const kind = kindOfChoice(compiler, yes, no);
  if (kind === undefined)
    throw refusal(
      compiler,
      node,
      `Both results after ? are of one kind; these are ${kindName(yes.kind)} and ${kindName(no.kind)}.`,
    );
  const test = condition.run;
  const one = kind === 'double' ? asDouble(yes) : yes.run;
  const other = kind === 'double' ? asDouble(no) : no.run;
  return partOf(kind, parts, () => (test() === true ? one() : other()));
}

/** An input without a type has no value, so that the other branch alone can be the result. */
function kindOfChoice({ isChecking }: Compiler, yes: Part, no: Part): Kind | undefined {
  if (!isChecking && yes.kind === 'unknown') return no.kind;
  if (!isChecking && no.kind === 'unknown') return yes.kind;
  return joined(yes.kind, no.kind);
}
