import type { TagRecord } from '@tagway/schemas';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tagsOf } from '../api/tag-queries.ts';
import type { Demand } from '../live/messages.ts';
import { placeFrom } from './group-picker.tsx';

/** A tag among those of all groups that are shown. */
export interface LiveRow {
  readonly key: string;
  readonly place: string;
  readonly node: string;
  readonly group: string;
  readonly tag: TagRecord;
}

/** All tags of some groups. */
export function useLiveRows(places: readonly string[]): {
  readonly rows: readonly LiveRow[];
  readonly error: unknown;
} {
  const groups = useMemo(
    () => places.flatMap((place) => placeFrom(place).map((names) => ({ place, ...names }))),
    [places],
  );
  const { lists, error } = useQueries({
    queries: groups.map(({ node, group }) => ({ ...tagsOf(node, group), staleTime: 30_000 })),
    combine,
  });
  const rows = useMemo(
    () =>
      groups.flatMap(({ place, node, group }, index) =>
        (lists[index] ?? []).map((tag) => ({ key: `${place}/${tag.name}`, place, node, group, tag })),
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
export function demandOf(rows: readonly LiveRow[]): Demand[] {
  const groups = new Map<string, { node: string; group: string; tags: string[] }>();
  for (const { place, node, group, tag } of rows) {
    const known = groups.get(place);
    if (known === undefined) groups.set(place, { node, group, tags: [tag.name] });
    else known.tags.push(tag.name);
  }
  return [...groups.values()];
}
