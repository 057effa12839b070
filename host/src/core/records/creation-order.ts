interface Numbered {
  readonly id: number;
}

interface Named extends Numbered {
  readonly name: string;
}

/** Keeps maps in the order of creation, which is the order of the ids, while records come in any order. */
export class CreationOrder {
  readonly #last = new WeakMap<object, number>();
  readonly #renamed = new Set<Map<string, Named>>();
  readonly #disordered = new Set<Map<unknown, Numbered>>();

  put<T extends Named>(map: Map<string, T>, thing: T): undefined {
    return this.append(map, thing.name, thing);
  }

  append<Key, T extends Numbered>(map: Map<Key, T>, key: Key, thing: T): undefined {
    map.set(key, thing);
    if (thing.id < (this.#last.get(map) ?? 0)) this.#disordered.add(map);
    else this.#last.set(map, thing.id);
    return undefined;
  }

  /** Something in the map has another name now than its key. */
  rename(map: Map<string, Named>): void {
    this.#renamed.add(map);
  }

  /** Puts the maps in order again. */
  settle(): void {
    for (const map of this.#renamed) rekey(map);
    for (const map of this.#disordered) sort(map);
    this.#renamed.clear();
    this.#disordered.clear();
  }
}

/** Gives the entries of a map the names that they have now as keys, in the same order. */
export function rekey<T extends { readonly name: string }>(map: Map<string, T>): void {
  const entries = [...map.values()];
  map.clear();
  for (const entry of entries) map.set(entry.name, entry);
}

function sort(map: Map<unknown, Numbered>): void {
  const entries = [...map].sort(([, one], [, other]) => one.id - other.id);
  map.clear();
  for (const [key, thing] of entries) map.set(key, thing);
}
