import { jsonOf, writerOf, type Sample } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { GroupReading } from '../core/model.ts';
import { pageOfTags } from './paginate.ts';
import { withBody, type Route } from './route.ts';
import { typeOf } from './tag-body.ts';

/** Section 4.5. */
export function valueRoutes(gateway: Gateway): Route[] {
  return [
    withBody('POST', '/api/v2/read', 'ReadBody', async ({ node, group, sync, query }) => {
      const reading = await gateway.values.read(node, group, sync ?? false);
      if (!query?.name && !query?.description) return wholeReply(reading);
      return readReply(reading, columnsOf(reading, query.name ?? '', query.description ?? ''));
    }),

    withBody('POST', '/api/v2/read/paginate', 'PaginateBody', async ({ node, group, sync, query }) =>
      pageOfTags(await gateway.values.read(node, group, sync ?? false), query),
    ),

    withBody('POST', '/api/v2/read/test', 'TestReadBody', async (body) => {
      const { driver, group, tag: name, address, attribute } = body;
      const type = typeOf(body.type);
      const value = await gateway.values.test(driver, group, { name, address, type, attribute });
      return Buffer.from(`{"value":${jsonOf(value, type)}}`);
    }),

    withBody(
      'POST',
      '/api/v2/write',
      'WriteBody',
      async ({ node, group, tag, value }) => {
        await gateway.values.write(node, group, [{ tag, value }], false);
        return undefined;
      },
      { values: true },
    ),

    withBody(
      'POST',
      '/api/v2/write/tags',
      'WriteTagsBody',
      async ({ node, group, tags }) => {
        await gateway.values.write(node, group, tags, true);
        return undefined;
      },
      { values: true },
    ),

    withBody(
      'POST',
      '/api/v2/write/gtags',
      'WriteGroupsBody',
      async ({ node, groups }) => {
        await gateway.values.writeGroups(node, groups);
        return undefined;
      },
      { values: true },
    ),
  ];
}

/** Replies with all tags of a sample, kept as long as the sample is: clients read more often than devices are polled. */
const replies = new WeakMap<Sample, Buffer>();

function wholeReply(reading: GroupReading): Buffer {
  let reply = replies.get(reading.sample);
  if (reply === undefined) replies.set(reading.sample, (reply = readReply(reading)));
  return reply;
}

const head = Buffer.from('{"tags":');
const tail = Buffer.from('}');

function readReply({ layout, sample }: GroupReading, columns?: readonly number[]): Buffer {
  return Buffer.concat([head, writerOf(layout).records(sample, columns), tail]);
}

/** The columns of tags whose name and description contain these texts. */
function columnsOf({ tags }: GroupReading, name: string, description: string): number[] {
  return [...tags.keys()].filter((column) => {
    const tag = tags[column];
    return tag !== undefined && tag.name.includes(name) && tag.description.includes(description);
  });
}
