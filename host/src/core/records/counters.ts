import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Node } from '../model.ts';
import { keys } from './records.ts';
import type { State } from './state.ts';

/** Counters that a node has at most. */
const mostCounters = 16;

/** Names of counters. No name is a number, so that the end of its key is not taken for an id. */
const namePattern = /^[A-Za-z][\w.-]{0,63}$/;

/**
 * The next number of one of a node's counters: one more than the last, and `least` if that is more. It is stored when this resolves. Rejects
 * with PARAM_INVALID, NODE_NOT_FOUND, or with what the store refuses the record with; the counter is then as it was.
 */
export function nextNumber(state: State, node: Node, name: string, least: number): Promise<number> {
  return state.changeValues(async () => {
    if (!state.has(node))
      throw new Fault(ErrorCode.NODE_NOT_FOUND, `The node "${node.name}" was deleted meanwhile.`);
    const last = node.counters?.get(name);
    if (last === undefined) checkNew(node, name);
    const next = Math.max((last ?? -1) + 1, least);
    if (!Number.isSafeInteger(next))
      throw new Fault(ErrorCode.PARAM_INVALID, `The sequence "${name}" of "${node.name}" is at its end.`);
    await state.commit({ set: [[keys.counter(node.id, name), next]] });
    node.counters ??= new Map();
    node.counters.set(name, next);
    return next;
  }, true);
}

/** Takes a stored number; returns what is wrong with the record. The number is deleted with its node. */
export function takeCounter(
  nodes: ReadonlyMap<number, Node>,
  key: string,
  record: unknown,
): string | undefined {
  const [, id, name = ''] = key.split('/');
  const node = nodes.get(Number(id));
  if (node === undefined) return 'its node is gone';
  if (typeof record !== 'number' || !Number.isSafeInteger(record)) return 'it is not a number';
  node.counters ??= new Map();
  node.counters.set(name, record);
  return undefined;
}

function checkNew(node: Node, name: string): void {
  if (!namePattern.test(name))
    throw new Fault(
      ErrorCode.PARAM_INVALID,
      `A sequence of the node "${node.name}" cannot be called "${name.slice(0, 100)}": a name is a letter, then up to 63 letters, digits, ".", "_" and "-".`,
    );
  if ((node.counters?.size ?? 0) >= mostCounters)
    throw new Fault(
      ErrorCode.PARAM_INVALID,
      `The node "${node.name}" has ${mostCounters} sequences already, and may have no more.`,
    );
}
