import { newGroup } from './group-owners.ts';
import { checkGroupName, checkInterval } from './groups.ts';
import type { Group, Node, TagBody } from '../model.ts';
import { rekey } from '../records/creation-order.ts';
import { checkLengths } from '../names.ts';
import type { NameChange } from '../nodes/setting-links.ts';
import { applyRenames, entriesOfRenames } from '../nodes/input-renames.ts';
import { requirePlugin } from '../nodes/plugins.ts';
import { type Entry, tagEntries, tagKey } from '../records/records.ts';
import { problemsOfTags, type RowProblem } from './row-checks.ts';
import { followers } from './shown-alarms.ts';
import type { Condition, State } from '../records/state.ts';
import { draft, type Draft, type GroupDraft } from './tag-draft.ts';
import type { TagPlan, TagRowBody, TagRows } from './tag-rows.ts';

/** What `applyTags` would do, without doing it. Rejects when the rows cannot be looked at, for example because there is no such driver. */
export async function planTags(state: State, rows: TagRows): Promise<TagPlan> {
  const problems = await problemsOf(state, rows);
  return await draft(state, rows, problems, () => 0);
}

/** Adds, updates and removes tags as the rows say, in one step, or nothing when there is a problem. Rejects as `planTags` does. */
export async function applyTags(state: State, rows: TagRows, condition?: Condition): Promise<TagPlan> {
  const problems = await problemsOf(state, rows);
  return state.change(async () => {
    const plan = await draft(state, rows, problems, () => state.newId());
    if (plan.problems.length > 0 || plan.groups.length === 0) return plan;
    // No snapshot of a change of one tag: changes by hand would push out the snapshots of large ones.
    if (plan.groups.some(isMuch)) await state.ports.snapshots.make('tags');
    await putAll(state, rows.node, plan);
    return plan;
  }, condition);
}

const isMuch = ({ removed, changed, added }: GroupDraft): boolean =>
  removed.size + changed.size + added.length > 1;

interface Target {
  readonly drafted: GroupDraft;
  readonly group: Group;
  readonly isNew: boolean;
}

/** Stores and applies changes of groups and, in the same step, other records of their node. Called under the lock of changes. */
export async function putAll(
  state: State,
  node: string,
  { groups }: Pick<Draft, 'groups'>,
  others: readonly Entry[] = [],
): Promise<void> {
  const driver = state.driver(node);
  const targets = groups.map((drafted): Target => {
    const present = driver.groups.get(drafted.name);
    const group = present ?? newGroup(state.newId(), driver, drafted);
    return { drafted, group, isNew: present === undefined };
  });
  for (const { drafted, group } of targets) follow(group, drafted);
  const renames = state.links.renamed(...namesOf(driver, groups));
  await state.commit({
    set: [...entriesOfAll(targets), ...entriesOfRenames(renames), ...others],
    delete: targets.flatMap(({ drafted, group }) =>
      Array.from(drafted.removed, ({ id }) => tagKey(group, id)),
    ),
  });
  for (const { drafted, group } of targets) {
    put(group, drafted);
    driver.groups.set(group.name, group);
    state.ports.runtime.changed(group);
  }
  applyRenames(state, renames);
}

/** Tags that get other names. */
function namesOf({ name: node }: Node, groups: readonly GroupDraft[]): NameChange[] {
  return groups.flatMap(({ name: group, changed }) =>
    Array.from(changed, ([tag, { name: newName }]) => ({ place: { node, group, tag }, newName })).filter(
      ({ place, newName }) => place.tag !== newName,
    ),
  );
}

/** Tags that show the alarm of a tag with another name go on showing it, also those that change for themselves. */
function follow(group: Group, { changed, removed }: GroupDraft): void {
  const names = new Map(
    Array.from(changed, ([name, tag]) => [name, tag.name] as const).filter(([name, other]) => name !== other),
  );
  const present = Array.from(group.tags.values()).filter((tag) => !removed.has(tag));
  const byName = new Map(present.map((tag) => [changed.get(tag.name) ?? tag, tag.name]));
  for (const { before, tag } of followers(group, byName.keys(), names)) changed.set(byName.get(before)!, tag);
}

function* entriesOfAll(targets: readonly Target[]): Generator<Entry> {
  for (const { drafted, group, isNew } of targets) {
    yield* tagEntries(group, drafted.changed.values(), isNew);
    yield* tagEntries(group, drafted.added);
  }
}

function put(group: Group, { removed, changed, added }: GroupDraft): void {
  for (const { name } of removed) group.tags.delete(name);
  for (const [name, tag] of changed) group.tags.set(name, tag);
  // A tag with a new name keeps its place.
  if (Array.from(changed).some(([name, tag]) => name !== tag.name)) rekey(group.tags);
  for (const tag of added) group.tags.set(tag.name, tag);
}

/** The problems of rows that do not depend on the present tags. */
async function problemsOf(state: State, rows: TagRows): Promise<Map<number, RowProblem[]>> {
  const { plugin } = state.driver(rows.node);
  checkGroupName(rows.group);
  checkLengths(rows.node, rows.group);
  checkInterval(rows.interval ?? state.ports.dialect.groupInterval);
  requirePlugin(plugin);
  const found = await problemsOfTags(state, plugin, rows.rows.map(finished));
  const named = found.map((problem) => {
    const isRenamed = problem.field === 'name' && rows.rows[problem.index]?.newName !== undefined;
    return isRenamed ? { ...problem, field: 'new_name' } : problem;
  });
  return Map.groupBy([...rows.problems, ...named], ({ index }) => index);
}

/** With the name that the tag will have. */
function finished(row: TagRowBody | undefined): TagBody | undefined {
  return row?.newName === undefined ? row?.body : { ...row.body, name: row.newName };
}
