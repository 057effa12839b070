import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { newGroup } from './groups.ts';
import type { Node, Tag } from './model.ts';
import { checkLengths } from './names.ts';
import { requirePlugin } from './plugins.ts';
import { groupRecord, keys, tagRecord } from './records.ts';
import type { State } from './state.ts';
import type { TagBody } from './tag-check.ts';
import { checkTag, isStatic } from './tag-check.ts';

/** Of a batch: how many tags, from the first on, were applied, and the code that ended it, or 0. */
export interface BatchResult {
  readonly index: number;
  readonly error: number;
}

export class Tags {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** In the order of creation; `contains` is a part of the name. */
  list(node: string, group: string, contains = ''): Tag[] {
    checkLengths(node, group);
    const tags = [...this.#state.group(node, group).tags.values()];
    return contains === '' ? tags : tags.filter((tag) => tag.name.includes(contains));
  }

  /** Adds the tags before the first that is refused; makes the group when it is missing. */
  async add(node: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    checkNames(groupName, bodies);
    checkLengths(node, groupName);
    const checked = await this.#check(this.#state.driver(node), bodies);
    return this.#state.change(async () => {
      const driver = this.#state.driver(node);
      const present = driver.groups.get(groupName);
      const fresh = new Map<string, Tag>();
      let { error } = checked;
      for (const body of bodies.slice(0, checked.index)) {
        if (present?.tags.has(body.name) || fresh.has(body.name)) {
          error = ErrorCode.TAG_NAME_CONFLICT;
          break;
        }
        fresh.set(body.name, newTag(this.#state.newId(), body));
      }
      if (fresh.size === 0) return { index: 0, error };

      const group = present ?? newGroup(this.#state.newId(), driver, groupName, Limits.intervalDefault);
      const tags = [...fresh.values()];
      await this.#state.commit({
        set: [
          ...(present === undefined ? [[keys.group(group.id), groupRecord(group)] as const] : []),
          ...tags.map((tag) => [keys.tag(group.id, tag.id), tagRecord(tag)] as const),
        ],
      });
      if (present === undefined) driver.groups.set(groupName, group);
      for (const tag of tags) group.tags.set(tag.name, tag);
      this.#state.ports.runtime.changed(group);
      return { index: tags.length, error };
    });
  }

  /** Replaces the tags before the first that is refused or missing. */
  async update(node: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    checkNames(groupName, bodies);
    checkLengths(node, groupName);
    const checked = await this.#check(this.#state.group(node, groupName).node, bodies);
    return this.#state.change(async () => {
      const group = this.#state.group(node, groupName);
      const fresh = new Map<string, Tag>();
      let { index, error } = checked;
      for (const [i, body] of bodies.slice(0, checked.index).entries()) {
        const old = group.tags.get(body.name);
        if (old === undefined) {
          index = i;
          error = ErrorCode.TAG_NOT_FOUND;
          break;
        }
        fresh.set(body.name, newTag(old.id, body));
      }
      // A tag that stays as it is keeps its identity and with it its latest value.
      const tags = [...fresh.values()].filter((tag) => !isDeepStrictEqual(tag, group.tags.get(tag.name)));
      if (tags.length > 0) {
        await this.#state.commit({
          set: tags.map((tag) => [keys.tag(group.id, tag.id), tagRecord(tag)] as const),
        });
        for (const tag of tags) group.tags.set(tag.name, tag);
        this.#state.ports.runtime.changed(group);
      }
      return { index, error };
    });
  }

  /** Deletes the tags that exist; names without a tag, and a group that does not exist, are no error. */
  async delete(node: string, groupName: string, names: readonly string[]): Promise<void> {
    checkLengths(node, groupName);
    await this.#state.change(async () => {
      const group = this.#state.driver(node).groups.get(groupName);
      if (group === undefined) return;
      const tags = new Set(names.map((name) => group.tags.get(name)).filter((tag) => tag !== undefined));
      if (tags.size === 0) return;
      await this.#state.commit({ delete: Array.from(tags, (tag) => keys.tag(group.id, tag.id)) });
      for (const tag of tags) group.tags.delete(tag.name);
      this.#state.ports.runtime.changed(group);
    });
  }

  /** How many tags, from the first on, are acceptable, and why the next is not. */
  async #check(driver: Node, bodies: readonly TagBody[]): Promise<BatchResult> {
    let index = bodies.findIndex((body) => checkTag(body) !== 0);
    const refused = bodies[index];
    let error = refused === undefined ? 0 : checkTag(refused);
    if (refused === undefined) index = bodies.length;

    const asked = bodies.slice(0, index).filter((body) => !isStatic(body));
    if (asked.length === 0) return { index, error };
    requirePlugin(driver.plugin);
    const drafts = asked.map(({ name, address, type, attribute }) => ({ name, address, type, attribute }));
    const codes = await this.#state.ports.runtime.checkTags(driver.plugin, drafts);
    const first = codes.findIndex((code) => code !== 0);
    const body = asked[first];
    if (body !== undefined) {
      index = bodies.indexOf(body);
      error = codes[first] ?? error;
    }
    return { index, error };
  }
}

function newTag(id: number, body: TagBody): Tag {
  return {
    id,
    name: body.name,
    address: body.address,
    attribute: body.attribute,
    type: body.type,
    precision: body.precision ?? 0,
    decimal: body.decimal ?? 0,
    bias: body.bias ?? 0,
    description: body.description ?? '',
    ...(body.value !== undefined && { value: body.value }),
  };
}

function checkNames(group: string, bodies: readonly TagBody[]): void {
  if (group === '') throw new Fault(ErrorCode.BODY_INVALID, 'The name of a group may not be empty.');
  if (bodies.some((body) => body.name === '')) {
    throw new Fault(ErrorCode.BODY_INVALID, 'The name of a tag may not be empty.');
  }
}
