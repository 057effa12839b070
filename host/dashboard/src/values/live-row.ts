import type { TagRecord } from '@tagway/schemas';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tagsOf } from '../api/tag-queries.ts';
import type { Demand } from '../live/messages.ts';
import { referenceFrom } from './references.ts';

/** A row of the live page: a tag of one of the groups that are shown. */
export interface LiveRow {
  readonly key: string;
  readonly reference: string;
  readonly node: string;
  readonly group: string;
  readonly tag: TagRecord;
}

/** All tags of some groups. */
export function useLiveRows(references: readonly string[]): {
  readonly rows: readonly LiveRow[];
  readonly error: unknown;
} {
  const groups = useMemo(
    () =>
      references.flatMap((reference) => referenceFrom(reference).map((names) => ({ reference, ...names }))),
    [references],
  );
  const { lists, error } = useQueries({
    queries: groups.map(({ node, group }) => ({ ...tagsOf(node, group), staleTime: 30_000 })),
    combine,
  });
  const rows = useMemo(
    () =>
      groups.flatMap(({ reference, node, group }, index) =>
        (lists[index] ?? []).map((tag) => ({ key: `${reference}/${tag.name}`, reference, node, group, tag })),
      ),
    [groups, lists],
  );
  return { rows, error };
}

function combine(results: readonly { readonly data: TagRecord[] | undefined; readonly error: unknown }[]): {
  lists: (TagRecord[] | undefined)[];
  error: unknown;
} {
  return {
    lists: results.map(({ data }) => data),
    error: results.find(({ error }) => error !== null)?.error,
  };
}

/** The tags of rows, by their groups. */
export function demandOf(
  rows: readonly (Omit<LiveRow, 'key' | 'tag'> & { readonly tag: { readonly name: string } })[],
): Demand[] {
  const groups = new Map<string, { node: string; group: string; tags: string[] }>();
  for (const { reference, node, group, tag } of rows) {
    const known = groups.get(reference);
    if (known === undefined) groups.set(reference, { node, group, tags: [tag.name] });
    else known.tags.push(tag.name);
  }
  return [...groups.values()];
}
