import type { QueryClient } from '@tanstack/react-query';
import { session } from './api/session.ts';
import { tagsOf } from './api/tag-queries.ts';
import { referenceFrom } from './values/references.ts';

/** Asks for the tags of a list of live values while the page still gets ready to show them: they are most of what it waits for. */
export function askEarly(queries: QueryClient): void {
  const [path, query] = location.hash.slice(1).split('?');
  if (path !== '/live' || session.get() === undefined) return;
  // Where the file is missing the place itself says so.
  import('./pages/live.tsx').catch(() => undefined);
  for (const reference of new URLSearchParams(query).getAll('g'))
    for (const { node, group } of referenceFrom(reference))
      queries.query({ ...tagsOf(node, group), staleTime: 30_000 }).catch(() => undefined);
}
