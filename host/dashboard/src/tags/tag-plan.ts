import { Limits, type GroupRecord, type TagInput, type TagRecord, type TagsReply } from '@tagway/schemas';
import { call } from '../api/call.ts';
import type { TagLine } from './tag-file.ts';

/** What an import would do. */
export interface TagPlan {
  readonly add: readonly TagLine[];
  readonly update: readonly TagLine[];
  readonly unchanged: number;
  /** Milliseconds, of groups that are not there yet. */
  readonly newGroups: ReadonlyMap<string, number>;
}

/** Compares the lines of a file with the tags of a driver. */
export async function planTags(
  node: string,
  groups: readonly GroupRecord[],
  lines: readonly TagLine[],
): Promise<TagPlan> {
  const known = new Map<string, ReadonlyMap<string, TagRecord>>();
  const newGroups = new Map<string, number>();
  for (const { group, interval } of lines) {
    if (known.has(group)) continue;
    if (groups.some(({ name }) => name === group)) {
      const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
      known.set(group, new Map(tags.map((tag) => [tag.name, tag])));
    } else {
      known.set(group, new Map());
      newGroups.set(group, interval ?? Limits.intervalDefault);
    }
  }
  const add: TagLine[] = [];
  const update: TagLine[] = [];
  let unchanged = 0;
  for (const line of lines) {
    const before = known.get(line.group)?.get(line.tag.name);
    if (before === undefined) add.push(line);
    else if (isSame(line.tag, before)) unchanged += 1;
    else update.push(line);
  }
  return { add, update, unchanged, newGroups };
}

function isSame(tag: TagInput, before: TagRecord): boolean {
  return (
    tag.address === before.address &&
    tag.attribute === before.attribute &&
    tag.type === before.type &&
    (tag.description ?? '') === before.description &&
    (tag.decimal ?? 0) === before.decimal &&
    (tag.precision ?? 0) === before.precision &&
    (tag.bias ?? 0) === before.bias &&
    String(tag.value) === String(before.value)
  );
}

/** Sends what a plan adds, all of it or nothing, and then what it changes, group by group. */
export async function applyTags(node: string, plan: TagPlan, groups: readonly GroupRecord[]): Promise<void> {
  const added = byGroup(plan.add);
  if (added.size > 0) {
    const body = {
      node,
      groups: Array.from(added, ([group, tags]) => ({
        group,
        interval: plan.newGroups.get(group) ?? groups.find(({ name }) => name === group)?.interval,
        tags,
      })),
    };
    await call('POST', 'api/v2/gtags', { body });
  }
  for (const [group, tags] of byGroup(plan.update)) {
    await call('PUT', 'api/v2/tags', { body: { node, group, tags } });
  }
}

function byGroup(lines: readonly TagLine[]): Map<string, TagInput[]> {
  const groups = new Map<string, TagInput[]>();
  for (const { group, tag } of lines) {
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [tag]);
    else known.push(tag);
  }
  return groups;
}
