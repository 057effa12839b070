import type { PaginateBody } from '@tagway/schemas';
import { writerOf } from '@tagway/sdk/json';
import type { GroupReading, Tag } from '../../core/model.ts';

type Query = NonNullable<PaginateBody['query']>;

/** The tags of a reading with what is known of them, page by page. Without a page and its size all are on one. */
export function pageOfTags(
  { tags, layout, sample, since }: GroupReading,
  query: Query = {},
  meta = false,
): Buffer {
  const { name = '', description = '', currentPage = 0, pageSize = 0, isError = false } = query;
  const writer = writerOf(layout);
  const columns = [...tags.keys()].filter((column) => {
    const tag = tags[column] as Tag;
    return (
      tag.name.includes(name) &&
      tag.description.includes(description) &&
      (!isError || writer.fault(sample, column) !== 0)
    );
  });
  const isPaged = currentPage > 0 && pageSize > 0;
  const shown = isPaged ? columns.slice((currentPage - 1) * pageSize, currentPage * pageSize) : columns;
  const items = shown.map((column) => {
    const result = writer.members(sample, column, {
      meta,
      messages: true,
      ...(meta && since !== undefined && { since }),
    });
    return `${describe(tags[column] as Tag).slice(0, -1)},${result}}`;
  });
  const page = JSON.stringify({ currentPage, pageSize, total: columns.length });
  const { timestamp } = sample;
  return Buffer.from(`{"meta":${page},"timestamp":${timestamp},"items":[${items.join(',')}]}`);
}

function describe(tag: Tag): string {
  const { name, type, address, attribute, description, precision, decimal, bias } = tag;
  const { deadband, unit, low, high } = tag;
  const optional = { deadband, unit, low, high };
  return JSON.stringify({
    name,
    type,
    address,
    attribute,
    description,
    precision,
    decimal,
    bias,
    ...optional,
  });
}
