import type { SearchReply } from '@tagway/schemas';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

/** The tags of all drivers that have these words. */
export const useTagSearch = (text: string): UseQueryResult<SearchReply> =>
  useQuery({
    queryKey: ['search', text],
    queryFn: ({ signal }) => call<SearchReply>('GET', 'live/search', { query: { text }, signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: 5000,
  });
