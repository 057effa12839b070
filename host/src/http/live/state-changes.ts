import type { NodeStateRecord } from '@tagway/schemas';

interface Known {
  readonly text: string;
  /** The round in which it became like this. */
  readonly round: number;
}

/** Keeps which states of nodes have changed in which round. All viewers share the texts. */
export class StateChanges {
  readonly #known = new Map<string, Known>();
  /** Nodes that are gone, and the round in which that was seen. */
  readonly #gone = new Map<string, number>();
  #round = 0;
  /** Made since the last look, by the round of which the viewer's latest one was. */
  readonly #events = new Map<number, Buffer | undefined>();

  /** Looks at the states as they are now. Returns the round, to which `event` can refer later. */
  look(states: readonly NodeStateRecord[]): number {
    const round = ++this.#round;
    this.#events.clear();
    const names = new Set<string>();
    for (const state of states) {
      names.add(state.node);
      this.#gone.delete(state.node);
      const text = JSON.stringify(state);
      if (this.#known.get(state.node)?.text !== text) this.#known.set(state.node, { text, round });
    }
    for (const name of this.#known.keys()) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      this.#gone.set(name, round);
    }
    return round;
  }

  /** Forgets the nodes whose deletion was seen in this round or before: all viewers know of them. */
  forget(round: number): void {
    for (const [name, seen] of this.#gone) if (seen <= round) this.#gone.delete(name);
  }

  /** The event for a viewer whose latest one was of round `seen`; undefined when there is nothing new. Round 0: everything. */
  event(seen: number): Buffer | undefined {
    if (!this.#events.has(seen)) {
      const text = this.#textOf(seen);
      this.#events.set(seen, text === undefined ? undefined : Buffer.from(text));
    }
    return this.#events.get(seen);
  }

  #textOf(seen: number): string | undefined {
    const states = [...this.#known.values()].filter(({ round }) => round > seen).map(({ text }) => text);
    const list = `"states":[${states.join(',')}]`;
    if (seen === 0) return `event: states\ndata: {"full":true,${list}}\n\n`;
    const gone = [...this.#gone].filter(([, round]) => round > seen).map(([name]) => name);
    if (states.length === 0 && gone.length === 0) return undefined;
    return `event: states\ndata: {${list},"gone":${JSON.stringify(gone)}}\n\n`;
  }
}
