import type { Sample, Writer } from '@tagway/sdk';
import { jsonOf } from '@tagway/sdk/internal';
import { writerOf } from '@tagway/sdk/json';
import { describeWrites } from '../../core/access/audit.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { GroupReading } from '../../core/model.ts';
import { pageOfTags } from './paginate.ts';
import { type Context, knownCallerOf } from '../request.ts';
import { withBody, type Endpoints } from '../route.ts';
import { deviceErrors, driverErrors, groupErrors } from './shared-errors.ts';
import { typeOf } from '../body/tag-body.ts';

/** Of writing to a device; a driver may add codes of its own. */
const writeErrors = [
  ...groupErrors,
  'TAG_NOT_FOUND',
  'TAG_NAME_TOO_LONG',
  ...deviceErrors,
  'WRITE_FAILED',
  'TAG_NOT_WRITABLE',
  'TYPE_MISMATCH',
  'VALUE_OUT_OF_RANGE',
  'STRING_TOO_LONG',
] as const;

/** Errors of the tag are the result of a test, and are answered at 200. */
const testStatuses = {
  TAG_ATTRIBUTE_UNSUPPORTED: 200,
  TAG_TYPE_UNSUPPORTED: 200,
  TAG_ADDRESS_INVALID: 200,
} as const;

/** Who writes, where the gateway asks who calls. */
function userOf(ctx: Context): Writer | undefined {
  const caller = knownCallerOf(ctx);
  return caller && { kind: 'user', name: caller.name };
}

/** Section 4.5. */
export function valueEndpoints({ values }: Gateway): Endpoints {
  return {
    'POST /api/v2/read': withBody(
      'ReadBody',
      {
        role: 'viewer',
        summary: 'Reads the tags of a group, the latest values or the device.',
        audit: 'nothing',
        reply: 'ReadReply',
        errors: groupErrors,
      },
      async ({ node, group, sync, meta = false, query }) => {
        const reading = await values.read(node, group, sync ?? false);
        if (!query?.name && !query?.description) return wholeReply(reading, meta);
        return readReply(reading, meta, columnsOf(reading, query.name ?? '', query.description ?? ''));
      },
    ),

    'POST /api/v2/read/paginate': withBody(
      'PaginateBody',
      {
        role: 'viewer',
        summary: 'Reads the tags of a group page by page, with all that is known of them.',
        audit: 'nothing',
        reply: 'PaginateReply',
        errors: groupErrors,
      },
      async ({ node, group, sync, meta, query }) =>
        pageOfTags(await values.read(node, group, sync ?? false), query, meta),
    ),

    'POST /api/v2/read/test': withBody(
      'TestReadBody',
      {
        role: 'engineer',
        summary:
          'Reads a tag that need not exist, without scaling and byte order. A driver may add codes of its own.',
        audit: 'nothing',
        reply: 'TestReadReply',
        errors: [
          ...driverErrors,
          'TAG_ATTRIBUTE_UNSUPPORTED',
          'TAG_TYPE_UNSUPPORTED',
          'TAG_ADDRESS_INVALID',
          'TAG_NAME_TOO_LONG',
          'TAG_ADDRESS_TOO_LONG',
          'LIBRARY_OPEN_FAILED',
          ...deviceErrors,
          'VALUE_EXPIRED',
        ],
        statuses: testStatuses,
      },
      async (body) => {
        const { driver, group, tag: name, address, attribute } = body;
        const type = typeOf(body.type);
        const value = await values.test(driver, group, { name, address, type, attribute });
        return Buffer.from(`{"value":${jsonOf(value, type)}}`);
      },
    ),

    'POST /api/v2/write': withBody(
      'WriteBody',
      {
        role: 'operator',
        summary: 'Writes one tag and answers when the device has taken the value.',
        audit: ({ node, group, tag, value }) => wrote(node, group, [{ tag, value }]),
        isLogged: false,
        errors: writeErrors,
        values: true,
      },
      ({ node, group, tag, value }, ctx) => values.write(node, group, [{ tag, value }], false, userOf(ctx)),
    ),

    'POST /api/v2/write/tags': withBody(
      'WriteTagsBody',
      {
        role: 'operator',
        summary: 'Writes several tags of a group, or none when one is bad.',
        audit: ({ node, group, tags }) => wrote(node, group, tags),
        isLogged: false,
        errors: [...writeErrors, 'WRITE_TAGS_UNSUPPORTED'],
        values: true,
      },
      ({ node, group, tags }, ctx) => values.write(node, group, tags, true, userOf(ctx)),
    ),

    'POST /api/v2/write/gtags': withBody(
      'WriteGroupsBody',
      {
        role: 'operator',
        summary: 'Writes tags of several groups of a driver, or none when one is bad.',
        audit: ({ node, groups }) => {
          const count = groups.reduce((sum, { tags }) => sum + tags.length, 0);
          const [first] = groups;
          const firstWrites = first && `, first of "${first.group}": ${describeWrites(first.tags)}`;
          return `wrote ${count} tags of ${groups.length} groups of "${node}"${firstWrites ?? ''}`;
        },
        isLogged: false,
        errors: [...writeErrors, 'WRITE_TAGS_UNSUPPORTED'],
        values: true,
      },
      ({ node, groups }, ctx) => values.writeGroups(node, groups, userOf(ctx)),
    ),
  };
}

function wrote(node: string, group: string, writes: Parameters<typeof describeWrites>[0]): string {
  return `wrote to the group "${group}" of "${node}": ${describeWrites(writes)}`;
}

/** Replies with all tags of a sample, cached as long as the sample exists: clients read more often than devices are polled. */
const replies = { plain: new WeakMap<Sample, Buffer>(), withMeta: new WeakMap<Sample, Buffer>() };

function wholeReply(reading: GroupReading, meta: boolean): Buffer {
  const known = meta ? replies.withMeta : replies.plain;
  let reply = known.get(reading.sample);
  if (reply === undefined) known.set(reading.sample, (reply = readReply(reading, meta)));
  return reply;
}

const head = Buffer.from('{"tags":');

/** The time is that of the whole sample; those of single values come with `meta`. */
function readReply(
  { layout, sample, since }: GroupReading,
  meta: boolean,
  columns?: readonly number[],
): Buffer {
  const options = {
    meta,
    messages: true,
    ...(columns !== undefined && { columns }),
    ...(meta && since !== undefined && { since }),
  };
  const tail = Buffer.from(`,"timestamp":${sample.timestamp}}`);
  return Buffer.concat([head, writerOf(layout).records(sample, options), tail]);
}

/** The columns of tags whose name and description contain these texts. */
function columnsOf({ tags }: GroupReading, name: string, description: string): number[] {
  return [...tags.keys()].filter((column) => {
    const tag = tags[column];
    return tag !== undefined && tag.name.includes(name) && tag.description.includes(description);
  });
}
