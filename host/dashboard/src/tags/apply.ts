import type { PlanTagsBody, PlanTagsReply, TagInput, TagsReply } from '@tagway/schemas';
import { ApiError, callRevised, ifMatch, type Revised } from '../api/call.ts';
import type { Fields } from '../parts/three-way.ts';
import { tagFrom, textOf, type TagText } from './tag-text.ts';

/** Loads the tags of a group whose names contain `name`, with the revision of the group. */
export const loadTags = (node: string, group: string, name = ''): Promise<Revised<TagsReply>> =>
  callRevised<TagsReply>('GET', 'api/v2/tags', { query: { node, group, name } });

/** The reply to a change of tags, with the new revision of the group. */
export type Applied = Revised<PlanTagsReply>;

/** Changes tags, all of them or none. When rows are refused it rejects with an `ApiError` whose reply is a `PlanTagsReply`. */
export const applyTags = (body: PlanTagsBody, revision = ''): Promise<Applied> =>
  callRevised<PlanTagsReply>('POST', 'api/v2/tags/apply', { body, headers: ifMatch(revision) });

/** Checks changes of tags without making them. The revision is that of the groups that they concern. */
export const planTags = (body: PlanTagsBody, signal?: AbortSignal): Promise<Applied> =>
  callRevised<PlanTagsReply>('POST', 'api/v2/tags/plan', { body, ...(signal !== undefined && { signal }) });

/** The rows that an error names; none when the error is about something else. */
export function refusedRows(error: unknown): PlanTagsReply['problems'] {
  if (!(error instanceof ApiError)) return [];
  const { problems } = error.reply as Partial<PlanTagsReply>;
  return Array.isArray(problems) ? problems : [];
}

/** A row that changes the tag `name`, and renames it when the names differ. */
export const rowOf = (name: string, tag: TagInput): TagInput & { new_name?: string } =>
  tag.name === name ? tag : { ...tag, name, new_name: tag.name };

/** Loads one tag as texts for a form; null when it is deleted. */
export async function loadTag(node: string, group: string, name: string): Promise<Revised<Fields | null>> {
  const { value, revision } = await loadTags(node, group, name);
  const found = value.tags.find((tag) => tag.name === name);
  return { value: found === undefined ? null : textOf(found), revision };
}

/** Adds a tag, or changes the one with the name. Rejects with the problem of its row. */
export async function saveTag(
  { node, group, name }: { readonly node: string; readonly group: string; readonly name: string | undefined },
  fields: Fields,
  revision: string,
): Promise<Applied> {
  const { tag } = tagFrom(fields as TagText);
  try {
    if (name === undefined) return await applyTags({ node, group, tags: [tag], mode: 'add' });
    return await applyTags({ node, group, tags: [rowOf(name, tag)] }, revision);
  } catch (error) {
    const [problem] = refusedRows(error);
    throw problem === undefined ? error : new ApiError(problem.message, problem.error, 400);
  }
}
