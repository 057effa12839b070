import type { ScanReply } from '@tagway/schemas';
import type { ScanPage } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Tag } from '../core/model.ts';
import { withBody, withQuery, type Route } from './route.ts';
import { tagBodies } from './tag-body.ts';

/** Section 4.4. */
export function tagRoutes(gateway: Gateway): Route[] {
  return [
    withBody(
      'POST',
      '/api/v2/tags',
      'TagsBody',
      ({ node, group, tags }) => gateway.tags.add(node, group, tagBodies(tags)),
      { values: true },
    ),

    withQuery('GET', '/api/v2/tags', 'TagsQuery', ({ node, group, name }) => ({
      tags: gateway.tags.list(node, group, name || undefined).map(tagReply),
    })),

    withBody(
      'PUT',
      '/api/v2/tags',
      'TagsBody',
      ({ node, group, tags }) => gateway.tags.update(node, group, tagBodies(tags)),
      { values: true },
    ),

    withBody('DELETE', '/api/v2/tags', 'DeleteTagsBody', async ({ node, group, tags }) => {
      await gateway.tags.delete(node, group, tags);
      return undefined;
    }),

    withBody(
      'POST',
      '/api/v2/gtags',
      'GroupsWithTagsBody',
      ({ node, groups }) => {
        const checked = groups.map((group) => ({ ...group, tags: tagBodies(group.tags) }));
        return gateway.tags.addGrouped(node, checked);
      },
      { values: true },
    ),

    withBody('PUT', '/api/v2/tag/rename', 'RenameTagBody', async ({ node, group, old_name, new_name }) => {
      await gateway.tags.rename(node, group, old_name, new_name);
      return undefined;
    }),

    withBody('POST', '/api/v2/scan/tags', 'ScanBody', async ({ node, id, ctx, load_index }) =>
      scanReply(
        await gateway.values.scan(node, { id: id ?? '', ctx: ctx ?? '', loadIndex: load_index ?? 0 }),
      ),
    ),
  ];
}

/** A page of a scan as the family of this API words it. */
function scanReply({ total, type, isArray, ctx, loadIndex, completed, tags }: ScanPage): ScanReply {
  return {
    error: 0,
    ...{ total, type, is_array: isArray, ctx, load_index: loadIndex, completed },
    tags: tags.map(({ name, id, isTag, type }) => ({ name, id, tag: isTag ? 1 : 0, type })),
  };
}

/** A tag as section 2.5 lists it: everything but its id. */
export function tagReply({ id: _, ...tag }: Tag): object {
  return tag;
}
