import type { ScanReply } from '@tagway/schemas';
import type { BrowsePage } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { GroupedTags } from '../core/grouped-tags.ts';
import type { Tag } from '../core/model.ts';
import type { Revised } from './revisions.ts';
import { withBody, withQuery, type Endpoints } from './route.ts';
import { driverErrors, groupErrors, tagErrors } from './shared-errors.ts';
import { tagBodies } from './tag-body.ts';

/** Section 4.4. */
export function tagEndpoints(gateway: Gateway): Endpoints {
  const { tags, values } = gateway;
  const ofGroup = revisionOfTags(gateway);
  return {
    'GET /api/v2/tags': withQuery(
      'TagsQuery',
      {
        role: 'viewer',
        summary: 'Lists the tags of a group.',
        reply: 'TagsReply',
        errors: groupErrors,
        revision: ofGroup,
      },
      ({ node, group, name }) => ({ tags: tags.list(node, group, name || undefined).map(tagReply) }),
    ),

    'POST /api/v2/tags': withBody(
      'TagsBody',
      {
        role: 'engineer',
        summary: 'Adds tags up to the first bad one; makes the group when it is missing.',
        reply: 'TagsBatchReply',
        errors: [
          ...driverErrors,
          'TAG_NAME_CONFLICT',
          'LIBRARY_OPEN_FAILED',
          'LICENSE_MAX_TAGS',
          ...tagErrors,
        ],
        values: true,
        revision: ofGroup,
      },
      async ({ node, group, tags: inputs }) => tags.add(node, group, await tagBodies(inputs)),
    ),

    'PUT /api/v2/tags': withBody(
      'TagsBody',
      {
        role: 'engineer',
        summary: 'Replaces tags up to the first bad one.',
        reply: 'TagsBatchReply',
        errors: [...groupErrors, 'TAG_NOT_FOUND', 'TAG_NAME_CONFLICT', 'LIBRARY_OPEN_FAILED', ...tagErrors],
        values: true,
        revision: ofGroup,
      },
      async ({ node, group, tags: inputs }) => tags.update(node, group, await tagBodies(inputs)),
    ),

    'POST /api/v2/gtags': withBody(
      'GroupsWithTagsBody',
      {
        role: 'engineer',
        summary: 'Adds tags to several groups, or none when one is bad; makes the groups that are missing.',
        reply: 'TagsBatchReply',
        errors: [
          ...driverErrors,
          'GROUP_EXISTS',
          'GROUP_PARAM_INVALID',
          'TAG_NAME_CONFLICT',
          'LIBRARY_OPEN_FAILED',
          'LICENSE_MAX_TAGS',
          ...tagErrors,
        ],
        values: true,
      },
      async ({ node, groups }) => {
        const grouped: GroupedTags[] = [];
        for (const group of groups) grouped.push({ ...group, tags: await tagBodies(group.tags) });
        return tags.addGrouped(node, grouped);
      },
    ),

    'PUT /api/v2/tag/rename': withBody(
      'RenameTagBody',
      {
        role: 'engineer',
        summary: 'Renames a tag; its place and its value stay.',
        errors: ['PARAM_INVALID', ...groupErrors, 'TAG_NOT_FOUND', 'TAG_NAME_CONFLICT', 'TAG_NAME_TOO_LONG'],
        revision: ofGroup,
      },
      ({ node, group, old_name, new_name }) => tags.rename(node, group, old_name, new_name),
    ),

    'DELETE /api/v2/tags': withBody(
      'DeleteTagsBody',
      {
        role: 'engineer',
        summary: 'Deletes tags.',
        errors: [...groupErrors, 'TAG_NOT_FOUND'],
        revision: ofGroup,
      },
      ({ node, group, tags: names }) => tags.delete(node, group, names),
    ),

    'POST /api/v2/scan/tags': withBody(
      'ScanBody',
      {
        role: 'engineer',
        summary: 'Lists what a device has at one place, page by page.',
        reply: 'ScanReply',
        errors: [
          ...driverErrors,
          'READ_FAILED',
          'DISCONNECTED',
          'NOT_RUNNING',
          'NO_RESPONSE',
          'SCAN_UNSUPPORTED',
        ],
      },
      async ({ node, id = '', ctx = '', load_index: before = 0 }) =>
        scanReply(await values.browse(node, { id, ...(ctx !== '' && { cursor: ctx }) }), before),
    ),
  };
}

/** Of the tags of a group. */
export function revisionOfTags({ tags }: Gateway) {
  return ({ node, group }: { readonly node: string; readonly group: string }): Revised => ({
    shown: { tags: tags.list(node, group).map(tagReply) },
  });
}

/** A page of what a device has, as the family of this API words it; `before` entries were on the pages before it. */
function scanReply({ total, type, isArray, cursor, entries }: BrowsePage, before: number): ScanReply {
  const reached = before + entries.length;
  return {
    error: 0,
    total: total ?? reached,
    ...{ type, is_array: isArray, ctx: cursor ?? '', load_index: reached, completed: cursor === undefined },
    tags: entries.map(({ name, id, readable, type }) => ({ name, id, tag: readable ? 1 : 0, type })),
  };
}

/** A tag as section 2.5 lists it: everything but its id. */
export function tagReply({ id: _, ...tag }: Tag): object {
  return tag;
}
