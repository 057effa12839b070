import type { GroupRecord, TagsReply } from '@tagway/schemas';
import { call } from '../api/call.ts';
import { applyTags } from './apply.ts';

/** Looks at what is deleted with a group of a driver: its tags, as a group with subscriptions is not deleted. The function that it resolves with makes it again. */
export async function groupUndo(
  node: string,
  { name: group, interval, history }: GroupRecord,
): Promise<() => Promise<void>> {
  const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
  return async () => {
    if (tags.length === 0) {
      await call('POST', 'api/v2/group', { body: { node, name: group, interval, history } });
      return;
    }
    await applyTags({ node, group, interval, tags, mode: 'add' });
    if (history !== undefined) await call('PUT', 'api/v2/group', { body: { node, group, history } });
  };
}
