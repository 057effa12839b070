import type { PlanTagsBody, PlanTagsReply } from '@tagway/schemas';
import { planTags } from './apply.ts';
import type { TagLine } from './tag-file.ts';
import type { Problem, Rule } from './tag-problems.ts';

/** A problem in a row of a file. */
export interface BadCell {
  readonly key: string;
  /** The number of the row in a spreadsheet; the first one is 1. */
  readonly row: number;
  /** The column; empty if the problem concerns the whole row. */
  readonly field: string;
  readonly value: string;
  /** The rule that it breaks, or the gateway's own sentence. */
  readonly rule: { readonly key: Rule; readonly limit: string } | { readonly message: string };
}

/** The effect of an import. */
export interface TagPlan {
  /** The body of the request that makes the import. */
  readonly body: PlanTagsBody;
  readonly reply: PlanTagsReply;
  /** Of the groups that the plan rests on. */
  readonly revision: string;
  /** The lines of the body's rows. */
  readonly lines: readonly TagLine[];
  readonly bad: readonly BadCell[];
}

export type ImportMode = 'merge' | 'replace';

/**
 * Asks the gateway how the lines of a file would change the tags of a driver. Lines with errors are not sent; they are listed with those
 * that the gateway would refuse. Without a line to send, the plan has only the list of errors.
 */
export async function planOf(
  node: string,
  all: readonly TagLine[],
  mode: ImportMode,
  signal: AbortSignal,
): Promise<Pick<TagPlan, 'bad'> & Partial<TagPlan>> {
  const own = all.flatMap(({ row, problems }) =>
    problems.map((problem, index) => badCell(row, `${row}.${index}`, problem)),
  );
  const lines = all.filter(({ problems }) => problems.length === 0);
  const [first] = lines;
  if (first === undefined) return { bad: own };
  const body: PlanTagsBody = {
    node,
    group: first.group,
    mode,
    tags: lines.map(({ tag, group, interval, pace }) => ({
      ...tag,
      group,
      ...pace,
      ...(interval !== undefined && { interval }),
    })),
  };
  const { value: reply, revision } = await planTags(body, signal);
  const refused = reply.problems.map(({ index, field = '', value, message }, at): BadCell => ({
    key: `gateway.${at}`,
    row: lines[index]?.row ?? 0,
    field,
    rule: { message },
    value: typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value),
  }));
  const bad = [...own, ...refused].toSorted((one, other) => one.row - other.row);
  return { body, reply, revision, lines, bad };
}

const badCell = (row: number, key: string, { field, value, rule, limit }: Problem): BadCell => ({
  key,
  row,
  field,
  value,
  rule: { key: rule, limit },
});
