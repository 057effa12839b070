import type { NodeStateRecord } from '@tagway/schemas';
import type { Demand, HubMessage, TagValue } from './messages.ts';

type Values = Extract<HubMessage, { kind: 'values' }>;
type Missing = Extract<HubMessage, { kind: 'group' }>;

interface Group {
  readonly time: number;
  readonly ahead?: number | undefined;
  readonly tags: ReadonlyMap<string, TagValue>;
}

/** Key of a group among those of all nodes. */
export const groupKey = (node: string, group: string): string => `${node}\n${group}`;

/** The newest states and values that the gateway has sent. A tab that is opened later gets them at once. */
export class HubCache {
  #states: Map<string, NodeStateRecord> | undefined;
  readonly #groups = new Map<string, Group | Missing>();

  update(message: HubMessage): void {
    if (message.kind === 'states') {
      const states = new Map(message.full ? [] : this.#states);
      for (const state of message.states) states.set(state.node, state);
      for (const name of message.gone) states.delete(name);
      this.#states = states;
    } else if (message.kind === 'values') {
      this.#updateValues(message);
    } else if (message.kind === 'group') {
      this.#groups.set(groupKey(message.node, message.group), message);
    }
  }

  #updateValues({ node, group, time, ahead, full, tags }: Values): void {
    const key = groupKey(node, group);
    const before = this.#groups.get(key);
    // Only this object holds the map; tabs never get it.
    const known =
      full || before === undefined || !('tags' in before)
        ? new Map<string, TagValue>()
        : (before.tags as Map<string, TagValue>);
    for (const tag of tags) known.set(tag.name, tag);
    this.#groups.set(key, { time, ahead, tags: known });
  }

  /** All states, as a message; undefined before the first ones arrive. */
  states(): HubMessage | undefined {
    if (this.#states === undefined) return undefined;
    return { kind: 'states', full: true, states: [...this.#states.values()], gone: [] };
  }

  /** The values of a group's tags, as a message; undefined when there are none. */
  values({ node, group, tags }: Demand): HubMessage | undefined {
    const known = this.#groups.get(groupKey(node, group));
    if (known === undefined || !('tags' in known)) return known;
    const found =
      tags === undefined ? [...known.tags.values()] : tags.flatMap((name) => known.tags.get(name) ?? []);
    const { time, ahead } = known;
    return {
      kind: 'values',
      full: true,
      node,
      group,
      time,
      ...(ahead !== undefined && { ahead }),
      tags: found,
    };
  }

  /** Keeps only the values of these demands: others are no longer updated. Each group appears in one demand. */
  retain(demands: readonly Demand[]): void {
    const wanted = new Map(demands.map(({ node, group, tags }) => [groupKey(node, group), tags]));
    for (const [key, known] of this.#groups) {
      const tags = wanted.get(key);
      if (!wanted.has(key)) this.#groups.delete(key);
      else if (tags !== undefined && 'tags' in known) {
        const found = tags.flatMap((name) => known.tags.get(name) ?? []);
        this.#groups.set(key, { ...known, tags: new Map(found.map((tag) => [tag.name, tag])) });
      }
    }
  }

  clear(): void {
    this.#states = undefined;
    this.#groups.clear();
  }
}
