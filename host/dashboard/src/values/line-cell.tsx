import { useSyncExternalStore, type ReactElement } from 'react';
import { groupKey } from '../live/hub-cache.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import type { RecentValues } from './recent-values.ts';
import type { TagReference } from './references.ts';

/** The last five minutes of a tag as a small line. */
export function LineCell({
  node,
  group,
  name,
  recent,
}: TagReference & { readonly recent: RecentValues }): ReactElement | null {
  const key = groupKey(node, group);
  const points = useSyncExternalStore(recent.subscribe, () => recent.get(key, name));
  return points === undefined || points.length < 2 ? null : (
    <Sparkline points={points} width={110} height={18} />
  );
}
