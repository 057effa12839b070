import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { entriesOf, type Entry, newGroup, tagEntry } from './group-place.ts';
import { checkGroupName, checkInterval } from './groups.ts';
import { tagCount, tagLimit } from './license.ts';
import type { Group, Node, Tag, TagBody } from './model.ts';
import { checkLengths } from './names.ts';
import { groupRecord, keys } from './records.ts';
import type { State } from './state.ts';
import { additions, type BatchResult, checkBatch, checkNames } from './tag-batch.ts';

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

/** Adds all tags to their groups or, when one is refused, none: the index is then its place among all of them. */
export async function addGroupedTags(
  state: State,
  node: string,
  groups: readonly GroupedTags[],
): Promise<BatchResult> {
  const bodies = groups.flatMap(({ tags }) => tags);
  checkNames(bodies);
  checkLengths(node, ...groups.map(({ group }) => group));
  checkGroups(groups);
  const checked = await checkBatch(state, state.driver(node).plugin, bodies);
  if (checked.error !== 0) return checked;
  return state.change(async () => {
    const driver = state.driver(node);
    const { added, result } = await plan(state, driver, groups);
    if (result.error !== 0) return result;
    const fresh = added.filter(({ group }) => !driver.groups.has(group.name));
    await state.commit({
      set: entriesOfAll(fresh, added),
    });
    for (const { group, tags } of added) {
      driver.groups.set(group.name, group);
      for (const tag of tags) group.tags.set(tag.name, tag);
      state.ports.runtime.changed(group);
    }
    return result;
  });
}

function* entriesOfAll(fresh: readonly Addition[], added: readonly Addition[]): Generator<Entry> {
  for (const { group } of fresh) yield [keys.group(group.id), groupRecord(group)];
  for (const { group, tags } of added) yield* entriesOf([], tags, (tag) => tagEntry(group, tag));
}

async function plan(
  state: State,
  driver: Node,
  groups: readonly GroupedTags[],
): Promise<{ readonly added: readonly Addition[]; readonly result: BatchResult }> {
  const added: Addition[] = [];
  const room = tagLimit(state) - tagCount(driver);
  let index = 0;
  for (const { group: name, interval, tags: bodies } of groups) {
    const group = driver.groups.get(name) ?? newGroup(state.newId(), driver, name, interval);
    const all = { index: bodies.length, error: 0 };
    const { tags, ...batch } = await additions(state, group.tags, bodies, all, room - index);
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
    if (names.has(group)) throw new Fault(ErrorCode.GROUP_EXISTS, `The group "${group}" is named twice.`);
    names.add(group);
  }
}
