import { stringifyJson } from '@tagway/sdk/json';
import { Pacer } from '../../core/system/pacer.ts';

/** Entries of lists that a value may have before it is long. */
const many = 500;
/** Levels of objects that are cut into pieces; what lies deeper is printed at once. */
const deepest = 5;

/** The JSON text of a value, that of a long one in pieces between which the gateway does other things. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string, void> {
  const pace = new Pacer();
  for (const piece of piecesOf(value, deepest)) {
    yield piece;
    if (pace.isDue) await pace.rest();
  }
}

/** Whether the lists of a value have many entries together. */
export function isLong(value: unknown): boolean {
  let left = many;
  const count = (one: unknown, depth: number): void => {
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) return;
    const isList = Array.isArray(one);
    if (isList) left -= one.length;
    if (depth === 0) return;
    for (const member of isList ? one : Object.values(one)) {
      if (left < 0) return;
      count(member, depth - 1);
    }
  };
  count(value, deepest);
  return left < 0;
}

function* piecesOf(value: unknown, depth: number): Generator<string, void> {
  if (depth === 0 || !isLong(value)) yield stringifyJson(value);
  else if (Array.isArray(value)) yield* piecesOfList(value, depth);
  else yield* piecesOfObject(value as object, depth);
}

function* piecesOfList(list: readonly unknown[], depth: number): Generator<string, void> {
  let before = '[';
  for (let from = 0; from < list.length; from += many) {
    const run = list.slice(from, from + many);
    if (!run.some(isLong)) {
      yield before + stringifyJson(run).slice(1, -1);
      before = ',';
      continue;
    }
    for (const entry of run) {
      yield before;
      yield* piecesOf(entry ?? null, depth - 1);
      before = ',';
    }
  }
  yield ']';
}

function* piecesOfObject(object: object, depth: number): Generator<string, void> {
  let before = '{';
  for (const [name, member] of Object.entries(object) as [string, unknown][]) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* piecesOf(member, depth - 1);
    before = ',';
  }
  yield '}';
}
