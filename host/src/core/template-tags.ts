import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Tag } from './model.ts';
import { byteLength, checkTemplateLengths } from './names.ts';
import { keys, templateTagRecord } from './records.ts';
import type { State } from './state.ts';
import { additions, type BatchResult, checkBatch, checkNames, replacements } from './tag-batch.ts';
import type { TagBody } from './tag-check.ts';

export class TemplateTags {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** In the order of creation; `contains` is a part of the name. */
  list(template: string, group: string, contains = ''): Tag[] {
    const tags = [...this.#state.templateGroup(template, group).tags.values()];
    return tags.filter((tag) => tag.name.includes(contains));
  }

  /** Adds the tags before the first that is refused. */
  async add(template: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    const checked = await this.#check(template, groupName, bodies);
    return this.#state.change(async () => {
      const group = this.#state.templateGroup(template, groupName);
      const { tags, index, error } = additions(this.#state, group.tags, bodies, checked);
      if (tags.length > 0) {
        await this.#state.commit({ set: tags.map((tag) => templateTagRecord(group, tag)) });
        for (const tag of tags) group.tags.set(tag.name, tag);
      }
      return { index, error };
    });
  }

  /** Replaces the tags before the first that is refused or missing. */
  async update(template: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    const checked = await this.#check(template, groupName, bodies);
    return this.#state.change(async () => {
      const group = this.#state.templateGroup(template, groupName);
      const { tags, index, error } = replacements(group.tags, bodies, checked);
      if (tags.length > 0) {
        await this.#state.commit({ set: tags.map((tag) => templateTagRecord(group, tag)) });
        for (const tag of tags) group.tags.set(tag.name, tag);
      }
      return { index, error };
    });
  }

  /** Deletes the tags that exist; names without a tag are no error. */
  async delete(template: string, groupName: string, names: readonly string[]): Promise<void> {
    checkTemplateLengths(template, groupName);
    if (names.some((name) => byteLength(name) > Limits.tagName)) throw new Fault(ErrorCode.TAG_NAME_TOO_LONG);
    await this.#state.change(async () => {
      const group = this.#state.templateGroup(template, groupName);
      const tags = new Set(names.map((name) => group.tags.get(name)).filter((tag) => tag !== undefined));
      if (tags.size === 0) return;
      await this.#state.commit({ delete: Array.from(tags, (tag) => keys.templateTag(group.id, tag.id)) });
      for (const tag of tags) group.tags.delete(tag.name);
    });
  }

  async #check(template: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    checkTemplateLengths(template, groupName);
    checkNames(bodies);
    const group = this.#state.templateGroup(template, groupName);
    return checkBatch(this.#state, this.#state.templatePlugin(group.template), bodies);
  }
}
