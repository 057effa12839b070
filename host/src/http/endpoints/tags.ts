import type { ScanReply } from '@tagway/schemas';
import type { BrowsePage } from '@tagway/sdk';
import { listOf, namesOf } from '../audit/wording.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { GroupedTags } from '../../core/tags/tags.ts';
import type { Tag } from '../../core/model.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { driverErrors, groupErrors, tagErrors } from './shared-errors.ts';
import { tagBodies } from '../body/tag-body.ts';

/** Errors of putting many tags into a group. */
const batchErrors = ['TAG_NAME_CONFLICT', 'LIBRARY_OPEN_FAILED', ...tagErrors] as const;

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
        audit: ({ node, group, tags }) => `added tags to the group "${group}" of "${node}": ${namesOf(tags)}`,
        reply: 'TagsBatchReply',
        errors: ['LICENSE_MAX_TAGS', ...driverErrors, ...batchErrors],
        values: true,
        revision: ofGroup,
      },
      async ({ node, group, tags: inputs }, _ctx, condition) =>
        tags.add(node, group, await tagBodies(inputs), condition),
    ),

    'PUT /api/v2/tags': withBody(
      'TagsBody',
      {
        role: 'engineer',
        summary: 'Replaces tags up to the first bad one.',
        audit: ({ node, group, tags }) =>
          `changed tags of the group "${group}" of "${node}": ${namesOf(tags)}`,
        reply: 'TagsBatchReply',
        errors: ['TAG_NOT_FOUND', ...groupErrors, ...batchErrors],
        values: true,
        revision: ofGroup,
      },
      async ({ node, group, tags: inputs }, _ctx, condition) =>
        tags.update(node, group, await tagBodies(inputs), condition),
    ),

    'POST /api/v2/gtags': withBody(
      'GroupsWithTagsBody',
      {
        role: 'engineer',
        summary: 'Adds tags to several groups, or none when one is bad; makes the groups that are missing.',
        audit: ({ node, groups }) => {
          const count = groups.reduce((sum, { tags }) => sum + tags.length, 0);
          return `added ${count} tags to ${groups.length} groups of "${node}"`;
        },
        reply: 'TagsBatchReply',
        errors: ['GROUP_EXISTS', 'GROUP_PARAM_INVALID', 'LICENSE_MAX_TAGS', ...driverErrors, ...batchErrors],
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
        audit: ({ node, group, old_name, new_name }) =>
          `renamed the tag "${old_name}" of the group "${group}" of "${node}" to "${new_name}"`,
        errors: [
          'PARAM_INVALID',
          ...groupErrors,
          'TAG_NOT_FOUND',
          'TAG_NAME_CONFLICT',
          'TAG_NAME_TOO_LONG',
          'TAG_ADDRESS_TOO_LONG',
        ],
        revision: ofGroup,
      },
      ({ node, group, old_name, new_name }, _ctx, condition) =>
        tags.rename(node, group, old_name, new_name, condition),
    ),

    'DELETE /api/v2/tags': withBody(
      'DeleteTagsBody',
      {
        role: 'engineer',
        summary: 'Deletes tags.',
        audit: ({ node, group, tags }) =>
          `deleted tags of the group "${group}" of "${node}": ${listOf(tags)}`,
        errors: [...groupErrors, 'TAG_NOT_FOUND', 'GROUP_SUBSCRIBED'],
        revision: ofGroup,
      },
      ({ node, group, tags: names }, _ctx, condition) => tags.delete(node, group, names, condition),
    ),

    'POST /api/v2/scan/tags': withBody(
      'ScanBody',
      {
        role: 'engineer',
        summary: 'Lists what a device has at one place, page by page.',
        audit: 'nothing',
        reply: 'ScanReply',
        errors: [
          'READ_FAILED',
          'DISCONNECTED',
          'NOT_RUNNING',
          'NO_RESPONSE',
          'SCAN_UNSUPPORTED',
          ...driverErrors,
        ],
      },
      async ({ node, id = '', ctx = '', load_index: before = 0 }) =>
        scanReply(await values.browse(node, { id, ...(ctx !== '' && { cursor: ctx }) }), before),
    ),
  };
}

/** The revision of the tags of a group. */
export function revisionOfTags({ tags }: Gateway) {
  return ({ node, group }: { readonly node: string; readonly group: string }): Revised => ({
    shown: { tags: tags.list(node, group).map(tagReply) },
  });
}

/** A page of what a device has, in the format of the family; `before` is the number of entries on the pages before it. */
function scanReply({ total, type, isArray, cursor, entries }: BrowsePage, before: number): ScanReply {
  const reached = before + entries.length;
  return {
    error: 0,
    total: total ?? reached,
    type,
    is_array: isArray,
    ctx: cursor ?? '',
    load_index: reached,
    completed: cursor === undefined,
    tags: entries.map(({ name, id, readable, type, description, unit }) => ({
      name,
      id,
      tag: readable ? 1 : 0,
      type,
      ...(description !== undefined && { description }),
      ...(unit !== undefined && { unit }),
    })),
  };
}

/** A tag as section 2.5 lists it: everything but its id. */
export function tagReply({ id: _, ...tag }: Tag): object {
  return tag;
}
