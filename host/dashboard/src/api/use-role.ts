import { includesRole, type Role, type UsersReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';
import { useSession } from './session.ts';

/** Who is logged in as the gateway sees it; undefined where the gateway has no roles. */
const useSelf = (): UseQueryResult<UsersReply['self'] | null> => {
  const token = useSession()?.token;
  return useQuery({
    queryKey: ['self', token],
    queryFn: async () => (await call<UsersReply>('GET', 'api/v2/users')).self ?? null,
    staleTime: 60_000,
  });
};

/** What whoever is logged in may do. Until the gateway has said so: nothing but look; without roles: everything. */
export function useRole(): Role {
  const { data } = useSelf();
  if (data === undefined) return 'viewer';
  return data?.role ?? 'admin';
}

/** Whether whoever is logged in may do what needs this role. */
export const useMay = (least: Role): boolean => includesRole(useRole(), least);
