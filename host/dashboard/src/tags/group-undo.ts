import type { GroupRecord, TagsReply } from '@tagway/schemas';
import { call } from '../api/call.ts';
import { applyTags } from './apply.ts';
import { paceOf } from './group-pace.ts';

/** Looks at what is deleted with a group of a driver: its tags, as a group with subscriptions is not deleted. The function that it resolves with makes it again. */
export async function groupUndo(
  node: string,
  { name: group, interval, history, ...rest }: GroupRecord,
): Promise<() => Promise<void>> {
  const pace = paceOf(rest);
  const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
  return async () => {
    if (tags.length === 0) {
      const body = { node, name: group, interval, history, ...pace };
      await call('POST', 'api/v2/group', { body });
      return;
    }
    const rows = tags.map((tag) => ({ ...tag, ...pace }));
    await applyTags({ node, group, interval, tags: rows, mode: 'add' });
    if (history !== undefined) await call('PUT', 'api/v2/group', { body: { node, group, history } });
  };
}
