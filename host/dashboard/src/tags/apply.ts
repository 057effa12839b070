import type { PlanTagsBody, PlanTagsReply, TagInput, TagsReply } from '@tagway/schemas';
import { ApiError, call, callRevised, ifMatch, type Revised } from '../api/call.ts';
import type { Fields } from '../parts/three-way.ts';
import { tagFrom, textOf, type TagText } from './tag-text.ts';

/** Tags of a group with the revision of them all. `name` is a part of their names. */
export const lookAtTags = (node: string, group: string, name = ''): Promise<Revised<TagsReply>> =>
  callRevised<TagsReply>('GET', 'api/v2/tags', { query: { node, group, name } });

/** What became of many tags: the reply, and the revision of the group afterwards. */
export type Applied = Revised<PlanTagsReply>;

/** Makes changes of tags, all or nothing. Rejects with an `ApiError` whose reply is a `PlanTagsReply` when rows are refused. */
export const applyTags = (body: PlanTagsBody, revision = ''): Promise<Applied> =>
  callRevised<PlanTagsReply>('POST', 'api/v2/tags/apply', { body, headers: ifMatch(revision) });

/** What changes of tags would do. */
export const planTags = (body: PlanTagsBody, signal?: AbortSignal): Promise<PlanTagsReply> =>
  call<PlanTagsReply>('POST', 'api/v2/tags/plan', { body, ...(signal !== undefined && { signal }) });

/** The rows that a refusal names; none where it is about something else. */
export function refusedRows(error: unknown): PlanTagsReply['problems'] {
  if (!(error instanceof ApiError)) return [];
  const { problems } = error.reply as Partial<PlanTagsReply>;
  return Array.isArray(problems) ? problems : [];
}

/** A row that changes a tag of a name, and its name too where that is another. */
export const rowOf = (name: string, tag: TagInput): TagInput & { new_name?: string } =>
  tag.name === name ? tag : { ...tag, name, new_name: tag.name };

/** What one tag is now, as a form has it; null when it is gone. */
export async function lookAtTag(node: string, group: string, name: string): Promise<Revised<Fields | null>> {
  const { value, revision } = await lookAtTags(node, group, name);
  const found = value.tags.find((tag) => tag.name === name);
  return { value: found === undefined ? null : textOf(found), revision };
}

/** Adds a tag, or changes the one of a name. Rejects with what is wrong with it. */
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
