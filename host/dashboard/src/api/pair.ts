import type { PairStatus, StatusReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';

/** The status of the pair as this gateway sees it; null without a pair, undefined before the first reply. */
export function usePair(): PairStatus | null | undefined {
  const { data } = useQuery({
    queryKey: ['pair'],
    queryFn: async () => (await call<StatusReply>('GET', 'api/v2/status')).pair ?? null,
    // A gateway becomes a member of a pair only when it starts.
    refetchInterval: ({ state }) => (state.data === null ? 60_000 : 3000),
    staleTime: 0,
  });
  return data;
}

/** Whether this gateway is the standby of a pair. */
export const useIsStandby = (): boolean => usePair()?.role === 'standby';
