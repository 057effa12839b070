import { ErrorCode, type PlanTagsBody, type PlanTagsReply } from '@tagway/schemas';
import type { Gateway } from '../core/gateway.ts';
import type { RowProblem } from '../core/row-checks.ts';
import type { RowAction, TagPlan, TagRows } from '../core/tag-plan.ts';
import { withBody, type Endpoints } from './route.ts';
import { driverErrors } from './shared-errors.ts';
import { revisionOfTags } from './tags.ts';
import { readRows } from './tag-rows.ts';

/** Characters of a value that a problem shows. */
const longest = 200;

/** What is wrong with a row stands in its problem, with a code of its own. */
const errors = [...driverErrors, 'GROUP_PARAM_INVALID', 'LIBRARY_OPEN_FAILED'] as const;

/** Many tags at once: what they would change, and the change itself. */
export function tagPlanEndpoints(gateway: Gateway): Endpoints {
  const { tags } = gateway;
  return {
    'POST /api/v2/tags/plan': withBody(
      'PlanTagsBody',
      {
        role: 'engineer',
        summary:
          'Says what POST /api/v2/tags/apply would make of the tags of groups, and names every row that it would refuse. Nothing is changed.',
        reply: 'PlanTagsReply',
        errors,
        values: true,
      },
      async (body) => planReply(body, await tags.plan(await rowsOf(body))),
    ),

    'POST /api/v2/tags/apply': withBody(
      'PlanTagsBody',
      {
        role: 'engineer',
        summary:
          'Adds, updates, renames and removes tags of a group, or of the groups that the rows name, or does nothing when a row is refused; makes groups that are missing. If-Match is about the group of the request.',
        reply: 'PlanTagsReply',
        errors,
        values: true,
        revision: revisionOfTags(gateway),
      },
      async (body) => {
        const plan = await tags.apply(await rowsOf(body));
        const reply = planReply(body, plan);
        if (plan.problems.length === 0) return reply;
        const rows = plan.actions.filter((action) => action === 'refused').length;
        const message =
          `${rows} of ${plan.actions.length} rows are refused, so nothing was changed. ` +
          (plan.problems[0]?.message ?? '');
        return { ...reply, error: ErrorCode.BODY_INVALID, message };
      },
    ),
  };
}

async function rowsOf(body: PlanTagsBody): Promise<TagRows> {
  const { node, group, interval, remove = [], mode = 'merge' } = body;
  return { node, group, interval, remove, mode, ...(await readRows(body.tags)) };
}

function planReply(body: PlanTagsBody, { actions, remove, problems }: TagPlan): PlanTagsReply {
  const count = (wanted: RowAction): number => actions.filter((action) => action === wanted).length;
  return {
    error: ErrorCode.SUCCESS,
    ...{ add: count('add'), update: count('update'), unchanged: count('unchanged'), remove },
    rows: [...actions],
    problems: problems.map((problem) => problemReply(body, problem)),
  };
}

function problemReply(
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
    ...{ error, message },
  };
}
