import { ErrorCode } from '@tagway/schemas';
import { GroupTags } from './group-tags.ts';
import { newGroup } from './group-owners.ts';
import { checkGroupName, checkInterval } from './groups.ts';
import { tagCount, tagLimit } from '../access/license.ts';
import type { Group, Node, Tag, TagBody } from '../model.ts';
import { rekey } from '../records/creation-order.ts';
import { checkLengths, checkTagLength } from '../names.ts';
import { applyRenames, entriesOfRenames } from '../nodes/input-renames.ts';
import { type Entry, tagEntries, tagEntry } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import { additions, type BatchResult, checkBatch, checkNames } from './tag-batch.ts';
import { tagNamed } from './tag-check.ts';
import { followers } from './shown-alarms.ts';
import { applyTags, planTags } from './tag-plan.ts';
import type { TagPlan, TagRows } from './tag-rows.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Tags for a group, which is made when it is missing. */
export interface GroupedTags {
  readonly group: string;
  /** Milliseconds, of a new group. */
  readonly interval: number;
  readonly tags: readonly TagBody[];
}

interface Addition {
  readonly group: Group;
  readonly tags: readonly Tag[];
}

/** The tags of drivers. */
export class Tags extends GroupTags<Group> {
  /** Adds all tags to their groups, or none when one is refused: the index is then its place among all of them. */
  async addGrouped(node: string, groups: readonly GroupedTags[]): Promise<BatchResult> {
    const { state } = this;
    const bodies = groups.flatMap(({ tags }) => tags);
    checkNames(bodies);
    checkLengths(node, ...groups.map(({ group }) => group));
    checkGroups(groups);
    const checked = await checkBatch(state, state.driver(node).plugin, bodies);
    if (checked.error !== 0) return checked;
    return state.change(async () => {
      const driver = state.driver(node);
      const { added, result } = await additionsOf(state, driver, groups);
      if (result.error !== 0) return result;
      await state.commit({ set: entriesOf(driver, added) });
      for (const { group, tags } of added) {
        driver.groups.set(group.name, group);
        for (const tag of tags) group.tags.set(tag.name, tag);
        state.ports.runtime.changed(group);
      }
      return result;
    });
  }

  /** What `apply` would do, without doing it. */
  plan(rows: TagRows): Promise<TagPlan> {
    return planTags(this.state, rows);
  }

  /** Adds, updates and removes tags of a group, or nothing when a row is refused. */
  apply(rows: TagRows, condition?: Condition): Promise<TagPlan> {
    return applyTags(this.state, rows, condition);
  }

  /** Gives a tag another name; its place in the group and its latest value stay. */
  async rename(
    node: string,
    groupName: string,
    name: string,
    newName: string,
    condition?: Condition,
  ): Promise<void> {
    checkLengths(node, groupName);
    if (newName === '')
      throw new Refusal(ErrorCode.PARAM_INVALID, sentence`The new name of a tag may not be empty.`);
    checkTagLength(newName);
    await this.state.change(async () => {
      const group = this.state.group(node, groupName);
      const tag = tagNamed(group, name);
      if (newName === name) return;
      if (group.tags.has(newName)) {
        throw new Refusal(
          ErrorCode.TAG_NAME_CONFLICT,
          sentence`The group "${groupName}" has a tag "${newName}" already.`,
        );
      }
      const next = { ...tag, name: newName };
      const renames = [
        ...this.state.links.renamed({ place: { node, group: groupName, tag: name }, newName }),
        ...followers(group, othersOf(group, tag), new Map([[name, newName]])),
      ];
      await this.state.commit({ set: [tagEntry(group, next), ...entriesOfRenames(renames)] });
      group.tags.set(name, next);
      rekey(group.tags);
      this.owners.changed(group);
      applyRenames(this.state, renames);
    }, condition);
  }

  /** Deletes the tags. The dialect decides whether a name without a tag, or a group that does not exist, is an error. */
  async delete(
    node: string,
    groupName: string,
    names: readonly string[],
    condition?: Condition,
  ): Promise<void> {
    checkLengths(node, groupName);
    await this.state.change(async () => {
      const { refusesMissingTags } = this.state.ports.dialect;
      const group = refusesMissingTags
        ? this.state.group(node, groupName)
        : this.state.driver(node).groups.get(groupName);
      if (group === undefined) return;
      const missing = refusesMissingTags ? names.findIndex((name) => !group.tags.has(name)) : -1;
      const chosen = missing < 0 ? names : names.slice(0, missing);
      await this.deleteFrom(group, chosen);
      // Throws, because the group has no such tag.
      if (missing >= 0) tagNamed(group, names[missing]!);
    }, condition);
  }
}

function othersOf({ tags }: Group, tag: Tag): Tag[] {
  return Array.from(tags.values()).filter((other) => other !== tag);
}

function* entriesOf({ groups }: Node, added: readonly Addition[]): Generator<Entry> {
  for (const { group, tags } of added) yield* tagEntries(group, tags, !groups.has(group.name));
}

async function additionsOf(
  state: State,
  driver: Node,
  groups: readonly GroupedTags[],
): Promise<{ readonly added: readonly Addition[]; readonly result: BatchResult }> {
  const added: Addition[] = [];
  const room = tagLimit(state) - tagCount(driver);
  const refusal = state.links.check(driver);
  let index = 0;
  for (const { group: name, interval, tags: bodies } of groups) {
    const group = driver.groups.get(name) ?? newGroup(state.newId(), driver, { name, interval });
    const all = { index: bodies.length, error: 0 };
    const { tags, ...batch } = await additions(state, group.tags, bodies, all, refusal, room - index);
    index += batch.index;
    if (batch.error !== 0) return { added, result: { ...batch, index } };
    added.push({ group, tags });
  }
  return { added, result: { index, error: 0 } };
}

function checkGroups(groups: readonly GroupedTags[]): void {
  const names = new Set<string>();
  for (const { group, interval } of groups) {
    checkGroupName(group);
    checkInterval(interval);
    if (names.has(group))
      throw new Refusal(ErrorCode.GROUP_EXISTS, sentence`The group "${group}" is named twice.`);
    names.add(group);
  }
}
