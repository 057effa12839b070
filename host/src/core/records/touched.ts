import type { Group, Node } from '../model.ts';

/** What changes of records have changed of the objects. */
export interface Touched {
  /** New ones, and those of which anything or a tag changed. */
  readonly groups: Set<Group>;
  /** New ones, and those whose record was stored again. */
  readonly nodes: Set<Node>;
  readonly gone: { readonly nodes: Node[]; readonly groups: Group[]; readonly names: string[] };
  /** Apps whose subscriptions changed. */
  readonly apps: Set<Node>;
  /** Tokens of machines, permissions of plugins, registries, the list of the fleet, the sign-in, or what names are cut at. */
  access: boolean;
  license: boolean;
}

export function newTouched(): Touched {
  return {
    groups: new Set(),
    nodes: new Set(),
    apps: new Set(),
    gone: { nodes: [], groups: [], names: [] },
    access: false,
    license: false,
  };
}
