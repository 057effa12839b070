import type { PlanTagsBody, PlanTagsReply } from '@tagway/schemas';
import { planTags } from './apply.ts';
import type { TagLine } from './tag-file.ts';
import type { Problem, Rule } from './tag-problems.ts';

/** Something that is wrong with a row of a file. */
export interface BadCell {
  readonly key: string;
  /** As spreadsheets count: the first line is 1. */
  readonly row: number;
  /** The column, or nothing where it is the row as a whole. */
  readonly field: string;
  readonly value: string;
  /** The rule that it breaks as the page words it, or the gateway's own sentence. */
  readonly rule: { readonly key: Rule; readonly limit: string } | { readonly message: string };
}

/** What an import would do. */
export interface TagPlan {
  /** What is sent when it is to be done. */
  readonly body: PlanTagsBody;
  readonly reply: PlanTagsReply;
  /** The lines of the body's rows. */
  readonly lines: readonly TagLine[];
  readonly bad: readonly BadCell[];
}

export type ImportMode = 'merge' | 'replace';

/**
 * Asks the gateway what the lines of a file would make of the tags of a driver. Lines that are wrong by themselves are not sent; they are
 * named beside those that the gateway would refuse. Undefined where there is no line that could be sent.
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
    ...{ node, group: first.group, mode },
    tags: lines.map(({ tag, group, interval }) => ({
      ...tag,
      group,
      ...(interval !== undefined && { interval }),
    })),
  };
  const reply = await planTags(body, signal);
  const told = reply.problems.map(({ index, field = '', value, message }, at): BadCell => ({
    ...{ key: `gateway.${at}`, row: lines[index]?.row ?? 0, field, rule: { message } },
    value: typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value),
  }));
  return { body, reply, lines, bad: [...own, ...told].toSorted((one, other) => one.row - other.row) };
}

const badCell = (row: number, key: string, { field, value, rule, limit }: Problem): BadCell => ({
  ...{ key, row, field, value },
  rule: { key: rule, limit },
});
