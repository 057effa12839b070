import { ErrorCode, Limits } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { checkInterval } from './groups.ts';
import { tagCount, tagLimit } from './license.ts';
import type { Node, Tag } from './model.ts';
import { checkLengths } from './names.ts';
import { Pace } from './pace.ts';
import { tagOf } from './records.ts';
import type { RowProblem } from './row-checks.ts';
import type { State } from './state.ts';
import { isSameTag } from './tag-batch.ts';
import type { PlanMode, RowAction, TagPlan, TagRowBody, TagRows } from './tag-plan.ts';

/** What becomes of the tags of one group. */
export interface GroupDraft {
  readonly name: string;
  /** Milliseconds, of a group that is made. */
  readonly interval: number;
  readonly removed: ReadonlySet<Tag>;
  /** By the names that the tags have now. */
  readonly changed: ReadonlyMap<string, Tag>;
  readonly added: readonly Tag[];
}

/** The objects of a plan, of groups of which anything changes. */
export interface Draft extends TagPlan {
  readonly groups: readonly GroupDraft[];
}

/** A group while its rows are looked at. */
interface Place {
  readonly name: string;
  readonly isNew: boolean;
  interval: number;
  readonly present: ReadonlyMap<string, Tag>;
  /** Names that rows look for, and those that tags will have, each with its first row. */
  readonly names: Map<string, number>;
  readonly finals: Map<string, number>;
  /** Names that are given up, because their tags get others. */
  readonly left: Set<string>;
  readonly removed: Set<Tag>;
  readonly changed: Map<string, Tag>;
  readonly added: Tag[];
}

/** Rows against the tags that there are at this moment; `known` is what is wrong with them by themselves. */
export async function draft(
  state: State,
  rows: TagRows,
  known: ReadonlyMap<number, readonly RowProblem[]>,
  newId: () => number,
): Promise<Draft> {
  const driver = state.driver(rows.node);
  const places = placesOf(driver, rows, state.ports.profile.groupInterval);
  const placeOf = (row: TagRowBody | undefined): Place | undefined => places.get(row?.group ?? rows.group);
  const missing = removals(places, rows);
  const problems: RowProblem[] = [];
  const actions: RowAction[] = [];
  const gone = Array.from(places.values()).reduce((sum, { removed }) => sum + removed.size, 0);
  let room = tagLimit(state) - tagCount(driver) + gone;
  const pace = new Pace();
  for (const [index, row] of rows.rows.entries()) {
    if (pace.isDue) await pace.rest();
    const own = [...(known.get(index) ?? [])];
    const place = placeOf(row);
    if (row === undefined || place === undefined) {
      problems.push(...own);
      actions.push('refused');
      continue;
    }
    const old = place.present.get(row.body.name);
    const conflict = conflictOf(index, row, place, rows.mode) ?? groupProblem(index, driver, row, place);
    if (conflict !== undefined) own.push(conflict);
    if (old === undefined && --room < 0) own.push(full(index));
    problems.push(...own);
    actions.push(own.length > 0 ? 'refused' : take(row, old, place, newId));
  }
  const groups = [...places.values()].filter(
    ({ removed, changed, added }) => removed.size + changed.size + added.length > 0,
  );
  return { actions, remove: gone, problems: [...problems, ...missing], groups };
}

function placesOf(driver: Node, { rows, group, interval }: TagRows, usual: number): Map<string, Place> {
  const places = new Map<string, Place>();
  const place = (name: string, own: number | undefined): Place => {
    const known = places.get(name);
    if (known !== undefined) return known;
    const present = driver.groups.get(name);
    const made: Place = {
      ...{ name, isNew: present === undefined, interval: own ?? interval ?? usual },
      present: present?.tags ?? new Map<string, Tag>(),
      ...{ names: new Map(), finals: new Map(), left: new Set(), removed: new Set() },
      ...{ changed: new Map(), added: [] },
    };
    places.set(name, made);
    return made;
  };
  place(group, interval);
  for (const row of rows) {
    if (row === undefined) continue;
    const { names, left } = place(row.group ?? group, row.interval);
    names.set(row.body.name, -1);
    if (row.newName !== undefined && row.newName !== row.body.name) left.add(row.body.name);
  }
  return places;
}

/** Marks the tags that go. Returns what is wrong with those that are to go and are not there, or are also to stay. */
function removals(places: ReadonlyMap<string, Place>, { group, remove, mode }: TagRows): RowProblem[] {
  const problems: RowProblem[] = [];
  const own = places.get(group);
  for (const [index, name] of remove.entries()) {
    const tag = own?.present.get(name);
    const place = { index, field: 'remove' };
    if (tag === undefined) {
      const message = `The group "${group}" has no tag "${name}" to remove (remove[${index}]).`;
      problems.push({ ...place, error: ErrorCode.TAG_NOT_FOUND, message });
    } else if (own?.names.has(name) === true) {
      const message = `The tag "${name}" is to be removed (remove[${index}]) and is among the rows, too.`;
      problems.push({ ...place, error: ErrorCode.TAG_NAME_CONFLICT, message });
    } else own?.removed.add(tag);
  }
  if (mode === 'replace') {
    for (const { present, names, removed } of places.values())
      for (const tag of present.values()) if (!names.has(tag.name)) removed.add(tag);
  }
  for (const { names } of places.values()) names.clear();
  return problems;
}

/** Notes what a good row makes of its tag. */
function take(row: TagRowBody, old: Tag | undefined, place: Place, newId: () => number): RowAction {
  const { body, newName = body.name } = row;
  if (old === undefined) {
    place.added.push(tagOf(newId(), body));
    return 'add';
  }
  const tag = tagOf(old.id, { ...body, name: newName });
  if (newName === body.name && isSameTag(tag, old)) return 'unchanged';
  place.changed.set(body.name, tag);
  return 'update';
}

function conflictOf(
  index: number,
  { body: { name }, newName }: TagRowBody,
  { name: group, present, names, finals, left, removed }: Place,
  mode: PlanMode,
): RowProblem | undefined {
  const final = newName ?? name;
  const old = present.get(name);
  const holder = present.get(final);
  const first = names.get(name);
  const other = finals.get(final);
  if (first === undefined) names.set(name, index);
  if (other === undefined) finals.set(final, index);
  const problem = (error: number, message: string, field = 'name'): RowProblem => ({
    ...{ index, field, error, message },
  });
  // What is wrong with the name may be its length.
  const shown = name.slice(0, Limits.tagName);
  const shownFinal = final.slice(0, Limits.tagName);
  if (first !== undefined)
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      `The tag "${shown}" (tags[${index}]) is there twice: tags[${first}] has the same name.`,
    );
  if (other !== undefined)
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      `The name "${shownFinal}" (tags[${index}]) is there twice: tags[${other}] gets it, too.`,
      newName === undefined ? 'name' : 'new_name',
    );
  if (mode === 'add' && old !== undefined)
    return problem(ErrorCode.TAG_NAME_CONFLICT, `The group "${group}" has a tag "${shown}" already.`);
  if ((mode === 'update' || newName !== undefined) && old === undefined)
    return problem(ErrorCode.TAG_NOT_FOUND, `The group "${group}" has no tag "${shown}".`);
  if (final !== name && holder !== undefined && !left.has(final) && !removed.has(holder))
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      `The tag "${shown}" cannot be called "${shownFinal}": the group "${group}" has such a tag already.`,
      'new_name',
    );
  return undefined;
}

/** What is wrong with the group that a row would make. */
function groupProblem(
  index: number,
  driver: Node,
  { group, interval }: TagRowBody,
  { isNew, interval: made }: Place,
): RowProblem | undefined {
  if (!isNew) return undefined;
  try {
    if (group !== undefined) checkLengths(driver.name, group);
    checkInterval(interval ?? made);
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    const field = error.code === ErrorCode.GROUP_PARAM_INVALID ? 'interval' : 'group';
    return { index, field, error: error.code, message: error.message };
  }
}

function full(index: number): RowProblem {
  const message = `The license leaves no room for this tag (tags[${index}]) in the node.`;
  return { index, error: ErrorCode.LICENSE_MAX_TAGS, message };
}
