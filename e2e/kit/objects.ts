import type { Debugger } from './debugger.ts';

/** How many objects of each kind are there, by the name of the class, or by what V8 calls what has none. */
export type Objects = ReadonlyMap<string, number>;

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: string[]; readonly node_types: [string[]] } };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Kinds that come and go with the code that V8 compiles when a function has run often enough, and not with its data. */
const ofCode = new Set(['code', 'hidden', 'object shape', 'synthetic', 'array', 'number']);

/** Counts what is left in a process when its garbage is collected. */
export async function objectsOf(attached: Debugger): Promise<Objects> {
  await attached.ask('HeapProfiler.collectGarbage');
  const { snapshot, nodes, strings } = JSON.parse(await attached.snapshot()) as Snapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const objects = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at]!]!;
    if (ofCode.has(type)) continue;
    const kind = type === 'object' || type === 'native' ? strings[nodes[at + 1]!]! : type;
    objects.set(kind, (objects.get(kind) ?? 0) + 1);
  }
  return objects;
}
