import type { PairStatus, StatusReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

/** What the gateway is a part of: its pair, and its view of a fleet. */
export const useStatus = (): UseQueryResult<StatusReply> =>
  useQuery({
    queryKey: ['status'],
    queryFn: () => call<StatusReply>('GET', 'api/v2/status'),
    // A gateway becomes a member of a pair, and gets a source, only when it starts.
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.pair === undefined && state.data.source === undefined
        ? 60_000
        : 3000,
    staleTime: 0,
  });

/** The status of the pair as this gateway sees it; null without a pair, undefined before the first reply. */
export function usePair(): PairStatus | null | undefined {
  const { data } = useStatus();
  return data === undefined ? undefined : (data.pair ?? null);
}

/** Whether this gateway is the standby of a pair. */
export const useIsStandby = (): boolean => usePair()?.role === 'standby';
