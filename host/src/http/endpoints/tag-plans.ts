import { ErrorCode, type PlanTagsBody, type PlanTagsReply } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { RowProblem } from '../../core/tags/row-checks.ts';
import type { RowAction, TagPlan, TagRows } from '../../core/tags/tag-rows.ts';
import { reasonFor } from '../reason.ts';
import type { Context } from '../request.ts';
import type { Revised } from '../revisions.ts';
import { withBody, type Endpoints } from '../route.ts';
import { driverErrors } from './shared-errors.ts';
import { revisionOfTags } from './tags.ts';
import { readRows } from '../body/tag-rows.ts';
import { sentence } from '../../core/system/sentence.ts';

/** Characters of a value that a problem shows. */
const longest = 200;

/** The problem of a row has a code of its own, which is not among these. */
const errors = [...driverErrors, 'GROUP_PARAM_INVALID', 'LIBRARY_OPEN_FAILED'] as const;

/** Changes of many tags at once: their preview, and the change itself. */
export function tagPlanEndpoints(gateway: Gateway): Endpoints {
  const { tags } = gateway;
  const revision = revisionOfRows(gateway);
  return {
    'POST /api/v2/tags/plan': withBody(
      'PlanTagsBody',
      {
        role: 'engineer',
        summary:
          'Says what POST /api/v2/tags/apply would make of the tags of groups, and names every row that it would refuse. Nothing is changed.',
        audit: 'nothing',
        reply: 'PlanTagsReply',
        errors,
        values: true,
        revision,
      },
      async (body, ctx) => planReply(ctx, body, await tags.plan(await rowsOf(body))),
    ),

    'POST /api/v2/tags/apply': withBody(
      'PlanTagsBody',
      {
        role: 'engineer',
        summary:
          'Adds, updates, renames and removes tags of a group, or of the groups that the rows name, or does nothing when a row is refused; makes groups that are missing. If-Match is about all groups of the request.',
        audit: ({ node, group, tags, remove = [] }) =>
          [
            `put ${tags.length} tags into ${groupsOf(group, tags)} of "${node}"`,
            ...(remove.length > 0 ? [`removed ${remove.length}`] : []),
          ].join(' and '),
        reply: 'PlanTagsReply',
        errors,
        values: true,
        revision,
      },
      async (body, ctx, condition) => {
        const plan = await tags.apply(await rowsOf(body), condition);
        const reply = planReply(ctx, body, plan);
        if (plan.problems.length === 0) return reply;
        const rows = plan.actions.filter((action) => action === 'refused').length;
        const first = plan.problems[0]?.message ?? '';
        const message = sentence`${rows} of ${plan.actions.length} rows are refused, so nothing was changed. ${first}`;
        return { ...reply, error: ErrorCode.BODY_INVALID, message };
      },
    ),
  };
}

async function rowsOf(body: PlanTagsBody): Promise<TagRows> {
  const { node, group, interval, remove = [], mode = 'merge' } = body;
  return { node, group, interval, remove, mode, ...(await readRows(body.tags)) };
}

/** The tags of the group of a request, or of all groups that its rows name, as far as they are there. */
function revisionOfRows(gateway: Gateway) {
  const ofTags = revisionOfTags(gateway);
  return ({ node, group, tags }: PlanTagsBody): Revised | undefined => {
    const named = groupNames(group, tags);
    if (named.length === 1) return ofTags({ node, group: named[0] ?? group });
    const there = gateway.groups.list(node).filter(({ name }) => named.includes(name));
    return { exact: there.map(({ name }) => [name, ofTags({ node, group: name }).shown]) };
  };
}

/** The group of a request for tags, or the number of groups where rows name others. */
function groupsOf(group: string, rows: readonly { readonly group?: unknown }[]): string {
  const names = groupNames(group, rows);
  return names.length > 1 ? `${names.length} groups` : `the group "${names[0] ?? group}"`;
}

function groupNames(group: string, rows: readonly { readonly group?: unknown }[]): string[] {
  return [...new Set(rows.map((row) => (typeof row.group === 'string' ? row.group : group)))];
}

function planReply(ctx: Context, body: PlanTagsBody, { actions, remove, problems }: TagPlan): PlanTagsReply {
  const count = (wanted: RowAction): number => actions.filter((action) => action === wanted).length;
  return {
    error: ErrorCode.SUCCESS,
    add: count('add'),
    update: count('update'),
    unchanged: count('unchanged'),
    remove,
    rows: [...actions],
    problems: problems.map((problem) => problemReply(ctx, body, problem)),
  };
}

function problemReply(
  ctx: Context,
  { tags, remove = [] }: PlanTagsBody,
  { index, field, error, message }: RowProblem,
): PlanTagsReply['problems'][number] {
  const isRemoval = field === 'remove';
  const row = (isRemoval ? { name: remove[index] } : tags[index]) as Readonly<Record<string, unknown>>;
  const { name } = row;
  const value = field === undefined ? undefined : row[isRemoval ? 'name' : field];
  return {
    index,
    name: typeof name === 'string' ? name.slice(0, longest) : '',
    ...(field !== undefined && { field }),
    ...(value !== undefined && { value: typeof value === 'string' ? value.slice(0, longest) : value }),
    error,
    ...reasonFor(ctx, message),
  };
}
