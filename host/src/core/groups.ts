import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Group, Node } from './model.ts';
import { checkLengths } from './names.ts';
import type { Runtime } from './ports.ts';
import { groupRecord, keys } from './records.ts';
import type { State } from './state.ts';

/** What is left out stays as it is. */
export interface GroupChange {
  readonly newName?: string | undefined;
  /** Milliseconds. */
  readonly interval?: number | undefined;
}

export class Groups {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  list(node: string): Group[] {
    checkLengths(node);
    return [...this.#state.driver(node).groups.values()];
  }

  all(): Group[] {
    return [...this.#state.nodes.values()].flatMap((node) => [...node.groups.values()]);
  }

  /** The first fault of the group's latest sample that had one; undefined when none of this run had. */
  lastError(group: Group): ReturnType<Runtime['lastError']> {
    return this.#state.ports.runtime.lastError(group);
  }

  async add(node: string, name: string, interval: number): Promise<void> {
    checkNewName(name);
    checkLengths(node, name);
    await this.#state.change(async () => {
      this.#state.node(node);
      checkInterval(interval);
      const driver = this.#state.driver(node);
      checkFree(driver, name);
      const group = newGroup(this.#state.newId(), driver, name, interval);
      await this.#state.commit({ set: [[keys.group(group.id), groupRecord(group)]] });
      driver.groups.set(name, group);
      this.#state.ports.runtime.changed(group);
    });
  }

  async update(node: string, name: string, change: GroupChange): Promise<void> {
    const { newName, interval } = change;
    if (newName === undefined && interval === undefined) {
      throw new Fault(ErrorCode.BODY_INVALID, 'A group update needs a new name, an interval or both.');
    }
    if (newName !== undefined) checkNewName(newName);
    checkLengths(node, name, newName ?? '');
    if (interval !== undefined) checkInterval(interval);
    await this.#state.change(async () => {
      const group = this.#state.group(node, name);
      const next = { node: group.node, name: newName ?? name, interval: interval ?? group.interval };
      if (next.name !== name) checkFree(group.node, next.name);
      if (next.name === group.name && next.interval === group.interval) return;
      await this.#state.commit({ set: [[keys.group(group.id), groupRecord(next)]] });
      group.interval = next.interval;
      group.name = next.name;
      if (next.name !== name) rekey(group.node.groups);
      this.#state.ports.runtime.changed(group);
    });
  }

  async delete(node: string, name: string): Promise<void> {
    checkLengths(node, name);
    await this.#state.change(async () => {
      const group = this.#state.group(node, name);
      const subscriptions = [...group.subscriptions.values()];
      if (subscriptions.length > 0 && !this.#state.ports.profile.deletesSubscribedGroups) {
        const apps = [...group.subscriptions.keys()].map((app) => `"${app.name}"`).join(', ');
        throw new Fault(
          ErrorCode.GROUP_SUBSCRIBED,
          `The group "${name}" of "${node}" is subscribed by ${apps}; unsubscribe it first.`,
        );
      }
      await this.#state.commit({
        delete: [...groupKeys(group), ...subscriptions.map(({ id }) => keys.subscription(id))],
      });
      group.node.groups.delete(name);
      for (const { app } of subscriptions) app.subscriptions.delete(group);
      group.subscriptions.clear();
      this.#state.ports.runtime.removed(group);
      for (const { app } of subscriptions) this.#state.ports.runtime.routed(app);
    });
  }
}

export function newGroup(id: number, node: Node, name: string, interval: number): Group {
  return { id, node, name, interval, tags: new Map(), subscriptions: new Map() };
}

/** Keys of the records of a group and its tags. */
export function groupKeys(group: Group): string[] {
  return [keys.group(group.id), ...Array.from(group.tags.values(), (tag) => keys.tag(group.id, tag.id))];
}

/** Sorts a map's entries under the names they have now, in the same order. */
export function rekey<T extends { readonly name: string }>(map: Map<string, T>): void {
  const entries = [...map.values()];
  map.clear();
  for (const entry of entries) map.set(entry.name, entry);
}

function checkNewName(name: string): void {
  if (name === '') throw new Fault(ErrorCode.BODY_INVALID, 'The name of a group may not be empty.');
}

/** Throws GROUP_PARAM_INVALID. */
export function checkInterval(interval: number): void {
  if (!Number.isInteger(interval) || interval < Limits.intervalMin || interval > Limits.intervalMax) {
    throw new Fault(
      ErrorCode.GROUP_PARAM_INVALID,
      `The interval of a group is from ${Limits.intervalMin} to ${Limits.intervalMax} milliseconds.`,
    );
  }
}

function checkFree(node: Node, name: string): void {
  if (node.groups.has(name)) {
    throw new Fault(ErrorCode.GROUP_EXISTS, `The node "${node.name}" has a group "${name}" already.`);
  }
}
