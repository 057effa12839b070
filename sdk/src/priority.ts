/** Decides the order of calls and requests: the lower number goes first. */
export const Priority = { WRITE: 0, REQUEST: 1, POLL: 2 } as const;
export type Priority = (typeof Priority)[keyof typeof Priority];

/** Waiting items: lower priorities first, those of one priority in the order in which they were pushed. */
export class PriorityQueue<T> {
  readonly #lists: readonly [T[], T[], T[]] = [[], [], []];

  get size(): number {
    const [writes, requests, polls] = this.#lists;
    return writes.length + requests.length + polls.length;
  }

  push(item: T, priority: Priority): void {
    this.#lists[priority].push(item);
  }

  /** Takes the next one; undefined when none waits. */
  shift(): T | undefined {
    for (const list of this.#lists) if (list.length > 0) return list.shift();
    return undefined;
  }

  /** Removes these. */
  withdraw(items: ReadonlySet<T>): void {
    for (const list of this.#lists)
      for (let at = list.length - 1; at >= 0; at--) if (items.has(list[at] as T)) list.splice(at, 1);
  }

  /** Takes all, the next one first. */
  takeAll(): T[] {
    return this.#lists.flatMap((list) => list.splice(0));
  }
}
