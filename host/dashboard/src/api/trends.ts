import type { TrendsReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

/** What the gateway and its nodes did in the last quarter of an hour, or one node and its groups. */
export const useTrends = (node = ''): UseQueryResult<TrendsReply> =>
  useQuery({
    queryKey: ['trends', node],
    queryFn: () => call<TrendsReply>('GET', 'live/trends', { query: { node } }),
    refetchInterval: 10_000,
  });

/** The newest point of a line that is known. */
export const latestOf = (points: readonly (number | null)[] | undefined): number | undefined =>
  points?.findLast((point) => point !== null) ?? undefined;
