import type { AllGroupsReply, DriverGroupRecord, TagRecord, TagsReply } from '@tagway/schemas';
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

/** The query of the tags of a group, for a list of the tags of many groups. */

export const tagsOf = (node: string, group: string) =>
  queryOptions({
    queryKey: ['node', node, 'group', group, 'tags'],
    queryFn: async (): Promise<TagRecord[]> =>
      (await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } })).tags,
    // To compare fifty thousand records with the old ones takes longer than to draw the visible ones.
    structuralSharing: false,
  });

/** The groups of all drivers. */
export const useAllGroups = (): UseQueryResult<DriverGroupRecord[]> =>
  useQuery({
    queryKey: ['groups'],
    queryFn: async () => (await call<AllGroupsReply>('GET', 'api/v2/group')).groups,
  });
