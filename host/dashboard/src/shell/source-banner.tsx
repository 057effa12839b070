import { type ReactElement, Suspense } from 'react';
import { useStatus } from '../api/pair.ts';
import { lazyPart } from '../parts/lazy-part.ts';

const SourceState = lazyPart(() => import('./source-state.tsx'));

/** Above every page of a gateway whose configuration is pulled; others do not load it. */
export function SourceBanner(): ReactElement | null {
  const { data } = useStatus();
  const source = data?.source;
  if (source === undefined) return null;
  return (
    <Suspense fallback={null}>
      <SourceState source={source} />
    </Suspense>
  );
}
