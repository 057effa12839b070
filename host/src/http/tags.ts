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
      ({ node, group, tags }) => gateway.addTags(node, group, tagBodies(tags)),
      { values: true },
    ),

    withQuery('GET', '/api/v2/tags', 'TagsQuery', ({ node, group, name }) => ({
      tags: gateway.tags(node, group, name || undefined).map(tagReply),
    })),

    withBody(
      'PUT',
      '/api/v2/tags',
      'TagsBody',
      ({ node, group, tags }) => gateway.updateTags(node, group, tagBodies(tags)),
      { values: true },
    ),

    withBody('DELETE', '/api/v2/tags', 'DeleteTagsBody', async ({ node, group, tags }) => {
      await gateway.deleteTags(node, group, tags);
      return undefined;
    }),
  ];
}

/** A tag as section 2.5 lists it: everything but its id. */
function tagReply({ id: _, ...tag }: Tag): object {
  return tag;
}
