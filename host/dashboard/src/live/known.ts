import type { NodeStateRecord } from '@tagway/schemas';
import type { Demand, HubMessage, Reading } from './messages.ts';

type Values = Extract<HubMessage, { kind: 'values' }>;
type Missing = Extract<HubMessage, { kind: 'group' }>;

interface Group {
  readonly time: number;
  readonly tags: ReadonlyMap<string, Reading>;
}

/** Key of a group among those of all nodes. */
export const groupKey = (node: string, group: string): string => `${node}\n${group}`;

/** What the gateway has told so far, so that a tab that comes later is told at once, and not only what changes from then on. */
export class Known {
  #states: Map<string, NodeStateRecord> | undefined;
  readonly #groups = new Map<string, Group | Missing>();

  take(message: HubMessage): void {
    if (message.kind === 'states') {
      const states = new Map(message.full ? [] : this.#states);
      for (const state of message.states) states.set(state.node, state);
      for (const name of message.gone) states.delete(name);
      this.#states = states;
    } else if (message.kind === 'values') {
      this.#takeValues(message);
    } else if (message.kind === 'group') {
      this.#groups.set(groupKey(message.node, message.group), message);
    }
  }

  #takeValues({ node, group, time, full, tags }: Values): void {
    const key = groupKey(node, group);
    const before = this.#groups.get(key);
    // A map that only this object has: no tab is given it.
    const known =
      full || before === undefined || !('tags' in before)
        ? new Map<string, Reading>()
        : (before.tags as Map<string, Reading>);
    for (const tag of tags) known.set(tag.name, tag);
    this.#groups.set(key, { time, tags: known });
  }

  /** All states, as a message; undefined before they came first. */
  states(): HubMessage | undefined {
    if (this.#states === undefined) return undefined;
    return { kind: 'states', full: true, states: [...this.#states.values()], gone: [] };
  }

  /** What is known of a group's tags, as a message; undefined when that is nothing. */
  values({ node, group, tags }: Demand): HubMessage | undefined {
    const known = this.#groups.get(groupKey(node, group));
    if (known === undefined || !('tags' in known)) return known;
    const found =
      tags === undefined ? [...known.tags.values()] : tags.flatMap((name) => known.tags.get(name) ?? []);
    return { kind: 'values', full: true, node, group, time: known.time, tags: found };
  }

  /** Forgets what nobody wants any more: nobody will tell of its changes. Takes each group once. */
  keep(demands: readonly Demand[]): void {
    const wanted = new Map(demands.map(({ node, group, tags }) => [groupKey(node, group), tags]));
    for (const [key, known] of this.#groups) {
      const tags = wanted.get(key);
      if (!wanted.has(key)) this.#groups.delete(key);
      else if (tags !== undefined && 'tags' in known) {
        const found = tags.flatMap((name) => known.tags.get(name) ?? []);
        this.#groups.set(key, { time: known.time, tags: new Map(found.map((tag) => [tag.name, tag])) });
      }
    }
  }

  clear(): void {
    this.#states = undefined;
    this.#groups.clear();
  }
}
