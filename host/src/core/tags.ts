import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { tagEntry } from './group-place.ts';
import { GroupTags } from './group-tags.ts';
import { addGroupedTags, type GroupedTags } from './grouped-tags.ts';
import type { Group } from './model.ts';
import { rekey } from './named-places.ts';
import { checkLengths, checkTagLength } from './names.ts';
import { keys } from './records.ts';
import type { BatchResult } from './tag-batch.ts';
import { applyTags, planTags, type TagPlan, type TagRows } from './tag-plan.ts';

/** The tags of drivers. */
export class Tags extends GroupTags<Group> {
  /** Adds all tags to their groups, which are made when they are missing, or, when one is refused, none. */
  addGrouped(node: string, groups: readonly GroupedTags[]): Promise<BatchResult> {
    return addGroupedTags(this.state, node, groups);
  }

  /** What `apply` would do, without doing it. */
  plan(rows: TagRows): Promise<TagPlan> {
    return planTags(this.state, rows);
  }

  /** Adds, updates and removes tags of a group, or nothing when a row is refused. */
  apply(rows: TagRows): Promise<TagPlan> {
    return applyTags(this.state, rows);
  }

  /** Gives a tag another name; its place in the group and its latest value stay. */
  async rename(node: string, groupName: string, name: string, newName: string): Promise<void> {
    checkLengths(node, groupName);
    if (newName === '') throw new Fault(ErrorCode.PARAM_INVALID, 'The new name of a tag may not be empty.');
    checkTagLength(newName);
    await this.state.change(async () => {
      const group = this.state.group(node, groupName);
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
      await this.state.commit({ set: [tagEntry(group, next)] });
      group.tags.set(name, next);
      rekey(group.tags);
      this.place.changed(group);
    });
  }

  /** Deletes the tags. Whether names without a tag, and a group that does not exist, are an error is for the profile to say. */
  async delete(node: string, groupName: string, names: readonly string[]): Promise<void> {
    checkLengths(node, groupName);
    await this.state.change(async () => {
      const { refusesMissingTags } = this.state.ports.profile;
      const group = refusesMissingTags
        ? this.state.group(node, groupName)
        : this.state.driver(node).groups.get(groupName);
      if (group === undefined) return;
      const missing = refusesMissingTags ? names.findIndex((name) => !group.tags.has(name)) : -1;
      const chosen = missing < 0 ? names : names.slice(0, missing);
      await this.deleteFrom(group, chosen, (id) => keys.tag(group.id, id));
      if (missing >= 0) {
        const text = `The group "${groupName}" has no tag "${names[missing]}".`;
        throw new Fault(ErrorCode.TAG_NOT_FOUND, text);
      }
    });
  }
}
