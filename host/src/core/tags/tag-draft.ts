import { ErrorCode, Limits } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { checkInterval } from './groups.ts';
import { tagCount, tagLimit } from '../access/license.ts';
import type { Node, Tag } from '../model.ts';
import { checkLengths } from '../names.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { Pacer } from '../system/pacer.ts';
import { tagOf } from '../records/records.ts';
import type { RowProblem } from './row-checks.ts';
import type { State } from '../records/state.ts';
import { isSameTag } from './tag-batch.ts';
import type { PlanMode, RowAction, TagPlan, TagRowBody, TagRows } from './tag-rows.ts';
import { reasonOf, sentence, type Sentence } from '../system/sentence.ts';
import type { GroupPace } from '@tagway/schemas';
import { checkPace, paceOf } from './group-pace.ts';

/** A plan with its changes, of the groups that change. */
export interface Draft extends TagPlan {
  readonly groups: readonly GroupDraft[];
}

/** A group, and its changes by the rows so far. */
interface GroupRows {
  readonly name: string;
  readonly isNew: boolean;
  /** Milliseconds, of a group that is made. */
  readonly interval: number;
  readonly pace: GroupPace | undefined;
  readonly present: ReadonlyMap<string, Tag>;
  /** Names by which rows find their tags, and names that tags will have, each with the index of its first row. */
  readonly names: Map<string, number>;
  readonly finals: Map<string, number>;
  /** Names that become free, because their tags get other names. */
  readonly left: Set<string>;
  readonly removed: Set<Tag>;
  /** By the present names of the tags. */
  readonly changed: Map<string, Tag>;
  readonly added: Tag[];
}

/** The changes of the tags of one group. */
export type GroupDraft = Pick<GroupRows, 'name' | 'interval' | 'pace' | 'removed' | 'changed' | 'added'>;

/** Compares rows with the present tags; `known` has the problems of rows that do not depend on those. */
export async function draft(
  state: State,
  rows: TagRows,
  known: ReadonlyMap<number, readonly RowProblem[]>,
  newId: () => number,
): Promise<Draft> {
  const driver = state.driver(rows.node);
  const byGroup = rowsByGroup(driver, rows, state.ports.dialect.groupInterval);
  const groupOf = (row: TagRowBody | undefined): GroupRows | undefined =>
    byGroup.get(row?.group ?? rows.group);
  const missing = removals(byGroup, rows);
  if (!state.ports.dialect.deletesSubscribedGroups) checkUnread(state, driver, byGroup);
  const problems: RowProblem[] = [];
  const actions: RowAction[] = [];
  const gone = Array.from(byGroup.values()).reduce((sum, { removed }) => sum + removed.size, 0);
  const refusal = state.links.check(driver);
  let room = tagLimit(state) - tagCount(driver) + gone;
  const pace = new Pacer();
  for (const [index, row] of rows.rows.entries()) {
    if (pace.isDue) await pace.rest();
    const own = [...(known.get(index) ?? [])];
    const group = groupOf(row);
    if (row === undefined || group === undefined) {
      problems.push(...own);
      actions.push('refused');
      continue;
    }
    const old = group.present.get(row.body.name);
    const conflict = conflictOf(index, row, group, rows.mode) ?? groupProblem(index, driver, row, group);
    if (conflict !== undefined) own.push(conflict);
    if (old === undefined && --room < 0) own.push(full(index));
    const link = refusal(row.body, old);
    if (link !== undefined) own.push({ index, field: 'address', error: link.code, message: reasonOf(link) });
    problems.push(...own);
    actions.push(own.length > 0 ? 'refused' : take(row, old, group, newId));
  }
  const groups = [...byGroup.values()].filter(
    ({ removed, changed, added }) => removed.size + changed.size + added.length > 0,
  );
  return { actions, remove: gone, problems: [...problems, ...missing], groups };
}

function rowsByGroup(
  driver: Node,
  { rows, group, interval }: TagRows,
  usual: number,
): Map<string, GroupRows> {
  const byGroup = new Map<string, GroupRows>();
  const groupRows = (name: string, own: number | undefined, pace: GroupPace = {}): GroupRows =>
    getOrMake(byGroup, name, () => ({
      name,
      isNew: !driver.groups.has(name),
      interval: own ?? interval ?? usual,
      pace: paceOf(pace),
      present: driver.groups.get(name)?.tags ?? new Map<string, Tag>(),
      names: new Map(),
      finals: new Map(),
      left: new Set(),
      removed: new Set(),
      changed: new Map(),
      added: [],
    }));
  groupRows(group, interval, rows.find((row) => (row?.group ?? group) === group)?.pace);
  for (const row of rows) {
    if (row === undefined) continue;
    const { names, left } = groupRows(row.group ?? group, row.interval, row.pace);
    names.set(row.body.name, -1);
    if (row.newName !== undefined && row.newName !== row.body.name) left.add(row.body.name);
  }
  return byGroup;
}

/** Marks the tags to remove. Returns a problem for each name that is no tag, or that is also among the rows. */
function removals(byGroup: ReadonlyMap<string, GroupRows>, { group, remove, mode }: TagRows): RowProblem[] {
  const problems: RowProblem[] = [];
  const own = byGroup.get(group);
  for (const [index, name] of remove.entries()) {
    const tag = own?.present.get(name);
    const row = { index, field: 'remove' };
    if (tag === undefined) {
      const message = sentence`The group "${group}" has no tag "${name}" to remove (remove[${index}]).`;
      problems.push({ ...row, error: ErrorCode.TAG_NOT_FOUND, message });
    } else if (own?.names.has(name) === true) {
      const message = sentence`The tag "${name}" is to be removed (remove[${index}]) and is among the rows, too.`;
      problems.push({ ...row, error: ErrorCode.TAG_NAME_CONFLICT, message });
    } else own?.removed.add(tag);
  }
  if (mode === 'replace') {
    for (const { present, names, removed } of byGroup.values())
      for (const tag of present.values()) if (!names.has(tag.name)) removed.add(tag);
  }
  for (const { names } of byGroup.values()) names.clear();
  return problems;
}

/** Throws GROUP_SUBSCRIBED when a tag that is to be removed is read. */
function checkUnread({ links }: State, driver: Node, byGroup: ReadonlyMap<string, GroupRows>): void {
  for (const { name, removed } of byGroup.values()) {
    const group = driver.groups.get(name);
    if (group !== undefined && removed.size > 0)
      links.checkUnread(group, new Set(Array.from(removed, (tag) => tag.name)));
  }
}

/** Adds the change of a valid row to its group. */
function take(row: TagRowBody, old: Tag | undefined, group: GroupRows, newId: () => number): RowAction {
  const { body, newName = body.name } = row;
  if (old === undefined) {
    group.added.push(tagOf(newId(), body));
    return 'add';
  }
  const tag = tagOf(old.id, { ...body, name: newName });
  if (newName === body.name && isSameTag(tag, old)) return 'unchanged';
  group.changed.set(body.name, tag);
  return 'update';
}

function conflictOf(
  index: number,
  { body: { name }, newName }: TagRowBody,
  { name: group, present, names, finals, left, removed }: GroupRows,
  mode: PlanMode,
): RowProblem | undefined {
  const final = newName ?? name;
  const old = present.get(name);
  const holder = present.get(final);
  const first = names.get(name);
  const other = finals.get(final);
  if (first === undefined) names.set(name, index);
  if (other === undefined) finals.set(final, index);
  const problem = (error: number, message: Sentence, field = 'name'): RowProblem => ({
    index,
    field,
    error,
    message,
  });
  // The name itself may be too long.
  const shown = name.slice(0, Limits.tagName);
  const shownFinal = final.slice(0, Limits.tagName);
  if (first !== undefined)
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      sentence`The tag "${shown}" (tags[${index}]) is there twice: tags[${first}] has the same name.`,
    );
  if (other !== undefined)
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      sentence`The name "${shownFinal}" (tags[${index}]) is there twice: tags[${other}] gets it, too.`,
      newName === undefined ? 'name' : 'new_name',
    );
  if (mode === 'add' && old !== undefined)
    return problem(ErrorCode.TAG_NAME_CONFLICT, sentence`The group "${group}" has a tag "${shown}" already.`);
  if ((mode === 'update' || newName !== undefined) && old === undefined)
    return problem(ErrorCode.TAG_NOT_FOUND, sentence`The group "${group}" has no tag "${shown}".`);
  if (final !== name && holder !== undefined && !left.has(final) && !removed.has(holder))
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      sentence`The tag "${shown}" cannot be called "${shownFinal}": the group "${group}" has such a tag already.`,
      'new_name',
    );
  return undefined;
}

/** What is wrong with the group that a row would make. */
function groupProblem(
  index: number,
  driver: Node,
  { group, interval }: TagRowBody,
  { isNew, name, interval: made, pace }: GroupRows,
): RowProblem | undefined {
  if (!isNew) return undefined;
  let field = 'group';
  try {
    if (group !== undefined) checkLengths(driver.name, group);
    field = 'interval';
    checkInterval(interval ?? made);
    field = 'min_interval';
    checkPace(name, pace);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { index, field, error: error.code, message: reasonOf(error) };
  }
}

function full(index: number): RowProblem {
  const message = sentence`The license leaves no room for this tag (tags[${index}]) in the node.`;
  return { index, error: ErrorCode.LICENSE_MAX_TAGS, message };
}
