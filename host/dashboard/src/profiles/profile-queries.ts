import type {
  NodeProfileReply,
  ProfileRecord,
  ProfileReply,
  ProfileSearchReply,
  ProfilesReply,
  RegistryProfile,
} from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from '../api/call.ts';

/** A registry is asked once for each question of the user. */
const once = { staleTime: Infinity, retry: false, refetchOnWindowFocus: false } as const;

export const useProfiles = (): UseQueryResult<readonly ProfileRecord[]> =>
  useQuery({
    queryKey: ['profiles', 'list'],
    queryFn: async () => (await call<ProfilesReply>('GET', 'api/v2/profile')).profiles,
  });

export const useProfile = (profile: string): UseQueryResult<ProfileReply> =>
  useQuery({
    queryKey: ['profiles', 'one', profile],
    queryFn: () => call<ProfileReply>('GET', 'api/v2/profile', { query: { profile } }),
    retry: false,
  });

/** Profiles in the registries; undefined words ask nobody. */
export const useProfileSearch = (words: string | undefined): UseQueryResult<readonly RegistryProfile[]> =>
  useQuery({
    queryKey: ['profiles', 'search', words],
    queryFn: async ({ signal }) =>
      (
        await call<ProfileSearchReply>('GET', 'api/v2/profile/search', {
          query: { text: words },
          signal,
        })
      ).packages,
    enabled: words !== undefined,
    ...once,
  });

/** What a driver was given by its profile. */
export const useNodeProfile = (node: string, isEnabled = true): UseQueryResult<NodeProfileReply> =>
  useQuery({
    queryKey: ['node', node, 'profile'],
    queryFn: () => call<NodeProfileReply>('GET', 'api/v2/profile/node', { query: { node } }),
    enabled: isEnabled,
    retry: false,
  });

/** What shows profiles, or what they need. */
export const ofProfiles = [
  ['profiles', 'list'],
  ['profiles', 'one'],
  ['profiles', 'search'],
] as const;
