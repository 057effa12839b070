import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { addGroupedTags, type GroupedTags } from './grouped-tags.ts';
import { newGroup, rekey } from './groups.ts';
import { tagCount, tagLimit } from './license.ts';
import type { Tag } from './model.ts';
import { byteLength, checkLengths } from './names.ts';
import { groupRecord, keys, tagRecord } from './records.ts';
import type { State } from './state.ts';
import { additions, type BatchResult, checkBatch, checkNames, replacements } from './tag-batch.ts';
import type { TagBody } from './tag-check.ts';

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
    checkGroupName(groupName);
    checkNames(bodies);
    checkLengths(node, groupName);
    const checked = await checkBatch(this.#state, this.#state.driver(node).plugin, bodies);
    return this.#state.change(async () => {
      const driver = this.#state.driver(node);
      const present = driver.groups.get(groupName);
      const room = tagLimit(this.#state) - tagCount(driver);
      const { tags, index, error } = additions(this.#state, present?.tags, bodies, checked, room);
      if (tags.length === 0) return { index, error };

      const group = present ?? newGroup(this.#state.newId(), driver, groupName, Limits.intervalDefault);
      await this.#state.commit({
        set: [
          ...(present === undefined ? [[keys.group(group.id), groupRecord(group)] as const] : []),
          ...tags.map((tag) => [keys.tag(group.id, tag.id), tagRecord(tag)] as const),
        ],
      });
      if (present === undefined) driver.groups.set(groupName, group);
      for (const tag of tags) group.tags.set(tag.name, tag);
      this.#state.ports.runtime.changed(group);
      return { index, error };
    });
  }

  /** Adds all tags to their groups, which are made when they are missing, or, when one is refused, none. */
  addGrouped(node: string, groups: readonly GroupedTags[]): Promise<BatchResult> {
    return addGroupedTags(this.#state, node, groups);
  }

  /** Replaces the tags before the first that is refused or missing. */
  async update(node: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    checkGroupName(groupName);
    checkNames(bodies);
    checkLengths(node, groupName);
    const checked = await checkBatch(this.#state, this.#state.group(node, groupName).node.plugin, bodies);
    return this.#state.change(async () => {
      const group = this.#state.group(node, groupName);
      const { tags, index, error } = replacements(group.tags, bodies, checked);
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

  /** Gives a tag another name; its place in the group and its latest value stay. */
  async rename(node: string, groupName: string, name: string, newName: string): Promise<void> {
    checkLengths(node, groupName);
    if (newName === '') throw new Fault(ErrorCode.PARAM_INVALID, 'The new name of a tag may not be empty.');
    if (byteLength(newName) > Limits.tagName) throw new Fault(ErrorCode.TAG_NAME_TOO_LONG);
    await this.#state.change(async () => {
      const group = this.#state.group(node, groupName);
      const tag = group.tags.get(name);
      if (tag === undefined)
        throw new Fault(ErrorCode.TAG_NOT_FOUND, `The group "${groupName}" has no tag "${name}".`);
      if (newName === name) return;
      if (group.tags.has(newName)) {
        throw new Fault(
          ErrorCode.TAG_NAME_CONFLICT,
          `The group "${groupName}" has a tag "${newName}" already.`,
        );
      }
      const next = { ...tag, name: newName };
      await this.#state.commit({ set: [[keys.tag(group.id, tag.id), tagRecord(next)]] });
      group.tags.set(name, next);
      rekey(group.tags);
      this.#state.ports.runtime.changed(group);
    });
  }

  /** Deletes the tags. Whether names without a tag, and a group that does not exist, are an error is for the profile to say. */
  async delete(node: string, groupName: string, names: readonly string[]): Promise<void> {
    checkLengths(node, groupName);
    await this.#state.change(async () => {
      const { refusesMissingTags } = this.#state.ports.profile;
      const group = refusesMissingTags
        ? this.#state.group(node, groupName)
        : this.#state.driver(node).groups.get(groupName);
      if (group === undefined) return;
      const missing = names.find((name) => !group.tags.has(name));
      const refused = refusesMissingTags ? missing : undefined;
      const chosen = refused === undefined ? names : names.slice(0, names.indexOf(refused));
      const tags = new Set(chosen.map((name) => group.tags.get(name)).filter((tag) => tag !== undefined));
      if (tags.size > 0) {
        await this.#state.commit({ delete: Array.from(tags, (tag) => keys.tag(group.id, tag.id)) });
        for (const tag of tags) group.tags.delete(tag.name);
        this.#state.ports.runtime.changed(group);
      }
      if (refused !== undefined)
        throw new Fault(ErrorCode.TAG_NOT_FOUND, `The group "${groupName}" has no tag "${refused}".`);
    });
  }
}

function checkGroupName(group: string): void {
  if (group === '') throw new Fault(ErrorCode.BODY_INVALID, 'The name of a group may not be empty.');
}
