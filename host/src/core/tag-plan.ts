import { entriesOf, newGroup, tagEntry, type Entry } from './group-place.ts';
import { checkGroupName, checkInterval } from './groups.ts';
import type { Group, Tag, TagBody } from './model.ts';
import { rekey } from './named-places.ts';
import { checkLengths } from './names.ts';
import { requirePlugin } from './plugins.ts';
import { groupRecord, keys } from './records.ts';
import { problemsOfTags, type RowProblem } from './row-checks.ts';
import type { State } from './state.ts';
import { draft, type Draft, type GroupDraft } from './tag-draft.ts';

/**
 * What is to become of tags that are there already, or not yet: `merge` changes and adds, `add` and `update` do one alone, and
 * `replace` also removes those of the groups that no row names.
 */
export type PlanMode = 'merge' | 'add' | 'update' | 'replace';

/** A tag as it is to be. */
export interface TagRowBody {
  /** Its name is the one by which the tag is found. */
  readonly body: TagBody;
  readonly newName: string | undefined;
  /** Undefined: the group of the request. */
  readonly group: string | undefined;
  /** Milliseconds, of a group that is made; the first row of the group that has one says it. */
  readonly interval: number | undefined;
}

export interface TagRows {
  readonly node: string;
  readonly group: string;
  /** Milliseconds, of a group that is made. */
  readonly interval?: number | undefined;
  /** Undefined where the row is no tag, which is then among the problems. */
  readonly rows: readonly (TagRowBody | undefined)[];
  /** Problems of rows that are no tags. */
  readonly problems: readonly RowProblem[];
  readonly remove: readonly string[];
  readonly mode: PlanMode;
}

export type RowAction = 'add' | 'update' | 'unchanged' | 'refused';

/** What rows would make of the tags of groups. */
export interface TagPlan {
  /** One for each row. */
  readonly actions: readonly RowAction[];
  /** How many tags would be removed. */
  readonly remove: number;
  /** All of them, by the index of their rows. */
  readonly problems: readonly RowProblem[];
}

/** What `applyTags` would do, without doing it. Rejects when the rows cannot be looked at, for example because there is no such driver. */
export async function planTags(state: State, rows: TagRows): Promise<TagPlan> {
  const problems = await problemsOf(state, rows);
  return await draft(state, rows, problems, () => 0);
}

/** Adds, updates and removes tags as the rows say, in one step, or nothing when there is a problem. Rejects as `planTags` does. */
export async function applyTags(state: State, rows: TagRows): Promise<TagPlan> {
  const problems = await problemsOf(state, rows);
  return state.change(async () => {
    const plan = await draft(state, rows, problems, () => state.newId());
    if (plan.problems.length > 0 || plan.groups.length === 0) return plan;
    // What somebody does by hand, one tag at a time, must not push out the snapshots of imports.
    if (plan.groups.some(isMuch)) await state.ports.snapshots.make('tags');
    await putAll(state, rows.node, plan);
    return plan;
  });
}

const isMuch = ({ removed, changed, added }: GroupDraft): boolean =>
  removed.size + changed.size + added.length > 1;

interface Target {
  readonly drafted: GroupDraft;
  readonly group: Group;
  readonly isNew: boolean;
}

async function putAll(state: State, node: string, { groups }: Draft): Promise<void> {
  const driver = state.driver(node);
  const targets = groups.map((drafted): Target => {
    const present = driver.groups.get(drafted.name);
    const group = present ?? newGroup(state.newId(), driver, drafted.name, drafted.interval);
    return { drafted, group, isNew: present === undefined };
  });
  await state.commit({
    set: entriesOfAll(targets),
    delete: targets.flatMap(({ drafted, group }) =>
      Array.from(drafted.removed, ({ id }) => keys.tag(group.id, id)),
    ),
  });
  for (const { drafted, group } of targets) {
    put(group, drafted);
    driver.groups.set(group.name, group);
    state.ports.runtime.changed(group);
  }
}

function* entriesOfAll(targets: readonly Target[]): Generator<Entry> {
  for (const { drafted, group, isNew } of targets) {
    const first: Entry[] = isNew ? [[keys.group(group.id), groupRecord(group)]] : [];
    const entry = (tag: Tag): Entry => tagEntry(group, tag);
    yield* entriesOf(first, drafted.changed.values(), entry);
    yield* entriesOf([], drafted.added, entry);
  }
}

function put(group: Group, { removed, changed, added }: GroupDraft): void {
  for (const { name } of removed) group.tags.delete(name);
  for (const [name, tag] of changed) group.tags.set(name, tag);
  // A tag with a new name keeps its place.
  if (Array.from(changed).some(([name, tag]) => name !== tag.name)) rekey(group.tags);
  for (const tag of added) group.tags.set(tag.name, tag);
}

/** The problems of rows by themselves, whatever tags there are. */
async function problemsOf(state: State, rows: TagRows): Promise<Map<number, RowProblem[]>> {
  const { plugin } = state.driver(rows.node);
  checkGroupName(rows.group);
  checkLengths(rows.node, rows.group);
  checkInterval(rows.interval ?? state.ports.profile.groupInterval);
  requirePlugin(plugin);
  const found = new Map<number, RowProblem[]>();
  for (const problem of rows.problems) note(found, problem);
  for (const problem of await problemsOfTags(state, plugin, rows.rows.map(finished))) {
    const isRenamed = problem.field === 'name' && rows.rows[problem.index]?.newName !== undefined;
    note(found, isRenamed ? { ...problem, field: 'new_name' } : problem);
  }
  return found;
}

/** With the name that the tag will have. */
function finished(row: TagRowBody | undefined): TagBody | undefined {
  return row?.newName === undefined ? row?.body : { ...row.body, name: row.newName };
}

function note(found: Map<number, RowProblem[]>, problem: RowProblem): void {
  const others = found.get(problem.index);
  if (others === undefined) found.set(problem.index, [problem]);
  else others.push(problem);
}
