import { ErrorCode, Fault, type DataType } from '@tagway/sdk';
import type { Address } from './address.ts';
import type { Program } from './program.ts';
import { namePath, resolve } from './resolve.ts';
import { ArrayNode, type Tree, type ValueNode } from './tree.ts';
import { Kind, type Variable } from './types.ts';

/** Where a value is written, by names alone, so that it never goes to another variable. */
export interface Target {
  readonly path: Buffer;
  readonly kind: Kind;
  readonly variable: Variable;
  /** Of a structure; 0 for others. */
  readonly handle: number;
  /** Bytes of the value. */
  readonly size: number;
  readonly elements: number;
  /** The bit of an integer, counted through all of its bytes; most characters of a text in a structure. */
  readonly extra: number;
}

/** Where the value of a tag goes, or why it cannot be written; undefined when the program says nothing of it. */
export function targetOf(
  program: Program,
  text: string,
  address: Address,
  type: DataType,
): Target | Fault | undefined {
  const tree: Tree = new Map();
  const place = { area: 0, start: 0, end: 1 };
  const fault = resolve(program, tree, { index: 0, text, address, type, place });
  if (fault !== undefined) return fault;
  const tag = program.scope(address.program)?.get(address.parts[0].name.toLowerCase());
  if (tag?.isReadOnly === true)
    return new Fault(
      ErrorCode.WRITE_FAILED,
      `The tag ${tag.name} is read-only (its external access in the controller): it is not written.`,
    );
  const [root] = tree.values();
  return root === undefined ? undefined : targetIn(root, address, undefined);
}

function targetIn(
  node: ValueNode | ArrayNode,
  address: Address,
  array: ArrayNode | undefined,
): Target | Fault | undefined {
  if (node instanceof ArrayNode) {
    const [span] = node.spans;
    if (span !== undefined) {
      const { count: elements, first, use } = span;
      const { element: variable, handle } = node;
      return use.learn !== undefined
        ? undefined
        : {
            path: elementOf(address, node, first),
            kind: use.kind,
            variable,
            handle,
            size: use.extra,
            elements,
            extra: 0,
          };
    }
    const [element] = node.elements.values();
    return element === undefined ? undefined : targetIn(element, address, node);
  }
  const [member] = node.members.values();
  if (member !== undefined) return targetIn(member.node, address, undefined);
  const [use] = node.uses;
  if (use === undefined || use.learn !== undefined) return undefined;
  const { handle, size, variable } = node;
  const isBit = use.kind === Kind.BIT;
  const first = array?.isPacked === true ? [...array.elements.keys()][0]! : -1;
  return {
    path: first >= 0 ? elementOf(address, array!, first) : namePath(address),
    kind: use.kind,
    variable,
    handle,
    size,
    elements: 1,
    extra: isBit ? 8 * use.offset + use.extra : use.extra,
  };
}

/** The path by names to an element of the array that an address ends in. */
function elementOf(address: Address, array: ArrayNode, first: number): Buffer {
  const last = address.parts.at(-1)!;
  const indices = array.indicesOf(first);
  const parts = [...address.parts.slice(0, -1), { name: last.name, indices }] as unknown as Address['parts'];
  return namePath({ ...address, parts });
}
