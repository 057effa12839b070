import type { TrendsReply } from '@tagway/schemas';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

const trendsOf = (node: string) =>
  queryOptions({
    queryKey: ['trends', node],
    queryFn: () => call<TrendsReply>('GET', 'live/trends', { query: { node } }),
  });

/** What the gateway and its nodes did in the last quarter of an hour, or one node and its groups. */
export const useTrends = (node = ''): UseQueryResult<TrendsReply> =>
  useQuery({ ...trendsOf(node), refetchInterval: 10_000 });

/** The name of the gateway. It comes with the trends, which only the places that show them ask for often. */
export const useGatewayName = (): string | undefined =>
  useQuery({ ...trendsOf(''), select: ({ name }) => name, refetchInterval: 300_000 }).data;

/** The newest point of a line that is known. */
export const latestOf = (points: readonly (number | null)[] | undefined): number | undefined =>
  points?.findLast((point) => point !== null) ?? undefined;
