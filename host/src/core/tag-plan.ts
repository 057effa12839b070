import { setImmediate as breathe } from 'node:timers/promises';
import { ErrorCode, Limits } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { entriesOf, newGroup, tagEntry } from './group-place.ts';
import { checkGroupName, checkInterval } from './groups.ts';
import { tagCount, tagLimit } from './license.ts';
import type { Group, Plugin, Tag, TagBody } from './model.ts';
import { checkLengths } from './names.ts';
import { Pace } from './pace.ts';
import { requirePlugin } from './plugins.ts';
import { groupRecord, keys, tagOf } from './records.ts';
import type { State } from './state.ts';
import { askedAtOnce, isSameTag } from './tag-batch.ts';
import { checkTag, isStatic } from './tag-check.ts';

/**
 * What is to become of tags that are there already, or not yet: `merge` changes and adds, `add` and `update` do one alone, and
 * `replace` also removes those of the group that no row names.
 */
export type PlanMode = 'merge' | 'add' | 'update' | 'replace';

/** What is wrong with one row. */
export interface RowProblem {
  /** Place of the row among the tags, or of the name among those to remove. */
  readonly index: number;
  /** The member of the row; absent where no single one is wrong. */
  readonly field?: string;
  readonly error: number;
  readonly message: string;
}

export interface TagRows {
  readonly node: string;
  readonly group: string;
  /** Milliseconds, of a group that is made. */
  readonly interval?: number | undefined;
  /** Undefined where the row is no tag, which is then among the problems. */
  readonly rows: readonly (TagBody | undefined)[];
  /** Problems of rows that are no tags. */
  readonly problems: readonly RowProblem[];
  readonly remove: readonly string[];
  readonly mode: PlanMode;
}

export type RowAction = 'add' | 'update' | 'unchanged' | 'refused';

/** What rows would make of the tags of a group. */
export interface TagPlan {
  /** One for each row. */
  readonly actions: readonly RowAction[];
  /** How many tags would be removed. */
  readonly remove: number;
  /** All of them, by the index of their rows. */
  readonly problems: readonly RowProblem[];
}

/** The objects of a plan without problems. */
interface Draft extends TagPlan {
  readonly fresh: readonly Tag[];
  readonly removed: readonly Tag[];
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
    if (plan.problems.length > 0 || plan.fresh.length + plan.removed.length === 0) return plan;
    await state.ports.snapshots.make('tags');
    const driver = state.driver(rows.node);
    const present = driver.groups.get(rows.group);
    const group = present ?? newGroup(state.newId(), driver, rows.group, intervalOf(state, rows));
    await state.commit({
      set: entriesOf(
        present === undefined ? [[keys.group(group.id), groupRecord(group)]] : [],
        plan.fresh,
        (tag) => tagEntry(group, tag),
      ),
      delete: plan.removed.map(({ id }) => keys.tag(group.id, id)),
    });
    put(group, plan);
    driver.groups.set(group.name, group);
    state.ports.runtime.changed(group);
    return plan;
  });
}

function put(group: Group, { fresh, removed }: Draft): void {
  for (const { name } of removed) group.tags.delete(name);
  for (const tag of fresh) group.tags.set(tag.name, tag);
}

function intervalOf(state: State, { interval }: TagRows): number {
  return interval ?? state.ports.profile.groupInterval;
}

/** The problems of rows by themselves, whatever tags there are. */
async function problemsOf(state: State, rows: TagRows): Promise<Map<number, RowProblem[]>> {
  const { plugin } = state.driver(rows.node);
  checkGroupName(rows.group);
  checkLengths(rows.node, rows.group);
  checkInterval(intervalOf(state, rows));
  requirePlugin(plugin);
  const found = new Map<number, RowProblem[]>();
  for (const problem of rows.problems) note(found, problem);
  for (const problem of await problemsOfTags(state, plugin, rows.rows)) note(found, problem);
  return found;
}

/** What the gateway and the plugin have against tags, whatever others there are. */
export async function problemsOfTags(
  state: State,
  plugin: Plugin,
  rows: readonly (TagBody | undefined)[],
): Promise<RowProblem[]> {
  const found: RowProblem[] = [];
  for (let from = 0; from < rows.length; from += askedAtOnce) {
    const asked: { readonly index: number; readonly body: TagBody }[] = [];
    for (const [offset, body] of rows.slice(from, from + askedAtOnce).entries()) {
      if (body === undefined) continue;
      const fault = checkTag(body);
      if (fault !== undefined) found.push(problemOf(from + offset, fault));
      else if (!isStatic(body)) asked.push({ index: from + offset, body });
    }
    await breathe();
    if (asked.length === 0) continue;
    const drafts = asked.map(({ body: { name, address, type, attribute } }) => ({
      ...{ name, address, type, attribute },
    }));
    const faults = await state.ports.runtime.checkTags(plugin, drafts);
    for (const [place, { index }] of asked.entries()) {
      const fault = faults[place];
      if (fault !== undefined) found.push(problemOf(index, fault));
    }
  }
  return found;
}

/** Rows against the tags that there are at this moment. */
async function draft(
  state: State,
  { node, group, rows, remove, mode }: TagRows,
  known: ReadonlyMap<number, readonly RowProblem[]>,
  newId: () => number,
): Promise<Draft> {
  const driver = state.driver(node);
  const present: ReadonlyMap<string, Tag> = driver.groups.get(group)?.tags ?? new Map<string, Tag>();
  const names = new Map<string, number>();
  const problems: RowProblem[] = [];
  const actions: RowAction[] = [];
  const fresh: Tag[] = [];
  const { removed, missing } = removals(group, present, rows, remove, mode);
  let room = tagLimit(state) - tagCount(driver) + removed.length;
  const pace = new Pace();
  for (const [index, body] of rows.entries()) {
    if (pace.isDue) await pace.rest();
    const own = known.get(index) ?? [];
    const old = body && present.get(body.name);
    const conflict = body && conflictOf(index, body, names, old, { group, mode });
    if (body !== undefined && !names.has(body.name)) names.set(body.name, index);
    const isFull = body !== undefined && old === undefined && --room < 0;
    problems.push(...own, ...(conflict === undefined ? [] : [conflict]));
    if (isFull) problems.push(full(index));
    if (body === undefined || own.length > 0 || conflict !== undefined || isFull) {
      actions.push('refused');
      continue;
    }
    const tag = old === undefined ? tagOf(newId(), body) : tagOf(old.id, body);
    const isSame = old !== undefined && isSameTag(tag, old);
    if (!isSame) fresh.push(tag);
    actions.push(isSame ? 'unchanged' : old === undefined ? 'add' : 'update');
  }
  return { actions, fresh, removed, remove: removed.length, problems: [...problems, ...missing] };
}

/** Which tags go, and which of those that are to go are not there or are also to stay. */
function removals(
  group: string,
  present: ReadonlyMap<string, Tag>,
  rows: TagRows['rows'],
  remove: readonly string[],
  mode: PlanMode,
): { readonly removed: readonly Tag[]; readonly missing: readonly RowProblem[] } {
  const wanted = new Set(rows.map((row) => row?.name));
  const missing: RowProblem[] = [];
  const removed = new Set<Tag>();
  for (const [index, name] of remove.entries()) {
    const tag = present.get(name);
    const place = { index, field: 'remove' };
    if (tag === undefined) {
      const message = `The group "${group}" has no tag "${name}" to remove (remove[${index}]).`;
      missing.push({ ...place, error: ErrorCode.TAG_NOT_FOUND, message });
    } else if (wanted.has(name)) {
      const message = `The tag "${name}" is to be removed (remove[${index}]) and is among the rows, too.`;
      missing.push({ ...place, error: ErrorCode.TAG_NAME_CONFLICT, message });
    } else removed.add(tag);
  }
  if (mode === 'replace') for (const tag of present.values()) if (!wanted.has(tag.name)) removed.add(tag);
  return { removed: [...removed], missing };
}

function conflictOf(
  index: number,
  { name }: TagBody,
  names: ReadonlyMap<string, number>,
  old: Tag | undefined,
  { group, mode }: Pick<TagRows, 'group' | 'mode'>,
): RowProblem | undefined {
  const first = names.get(name);
  const problem = (error: number, message: string): RowProblem => ({ index, field: 'name', error, message });
  // What is wrong with the name may be its length.
  const shown = name.slice(0, Limits.tagName);
  if (first !== undefined)
    return problem(
      ErrorCode.TAG_NAME_CONFLICT,
      `The tag "${shown}" (tags[${index}]) is there twice: tags[${first}] has the same name.`,
    );
  if (mode === 'add' && old !== undefined)
    return problem(ErrorCode.TAG_NAME_CONFLICT, `The group "${group}" has a tag "${shown}" already.`);
  if (mode === 'update' && old === undefined)
    return problem(ErrorCode.TAG_NOT_FOUND, `The group "${group}" has no tag "${shown}".`);
  return undefined;
}

function full(index: number): RowProblem {
  const message = `The license leaves no room for this tag (tags[${index}]) in the node.`;
  return { index, error: ErrorCode.LICENSE_MAX_TAGS, message };
}

/** Which member of a row a code is about; an address where it is one of the plugin's own. */
const fields: Readonly<Record<number, string>> = {
  [ErrorCode.TAG_NAME_TOO_LONG]: 'name',
  [ErrorCode.TAG_ADDRESS_TOO_LONG]: 'address',
  [ErrorCode.TAG_ADDRESS_INVALID]: 'address',
  [ErrorCode.TAG_DESCRIPTION_TOO_LONG]: 'description',
  [ErrorCode.TAG_PRECISION_INVALID]: 'precision',
  [ErrorCode.TAG_DECIMAL_INVALID]: 'decimal',
  [ErrorCode.TAG_BIAS_INVALID]: 'bias',
  [ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED]: 'attribute',
  [ErrorCode.TAG_TYPE_UNSUPPORTED]: 'type',
};

function problemOf(index: number, { code, message }: Fault): RowProblem {
  return { index, field: fields[code] ?? 'address', error: code, message };
}

function note(found: Map<number, RowProblem[]>, problem: RowProblem): void {
  const others = found.get(problem.index);
  if (others === undefined) found.set(problem.index, [problem]);
  else others.push(problem);
}
