import type { PairStatus, StatusReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';

/** The pair that the gateway belongs to, as it sees it; null for one without a pair, undefined until it has said so. */
export function usePair(): PairStatus | null | undefined {
  const { data } = useQuery({
    queryKey: ['pair'],
    queryFn: async () => (await call<StatusReply>('GET', 'api/v2/status')).pair ?? null,
    // Whether there is a pair changes with a start alone.
    refetchInterval: ({ state }) => (state.data === null ? 60_000 : 3000),
    staleTime: 0,
  });
  return data;
}

/** Whether the gateway polls nothing because another one does. */
export const useIsStandby = (): boolean => usePair()?.role === 'standby';
