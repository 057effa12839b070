import { includesRole, type Role, type UsersReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';
import { useSession } from './session.ts';

/** The gateway's record of the user who is logged in; null when the gateway has no roles. */
const useSelf = (): UseQueryResult<UsersReply['self'] | null> => {
  const token = useSession()?.token;
  return useQuery({
    queryKey: ['self', token],
    queryFn: async () => (await call<UsersReply>('GET', 'api/v2/users')).self ?? null,
    staleTime: 60_000,
  });
};

/** The role of the user who is logged in: viewer until the gateway has replied, admin when the gateway has no roles. */
export function useRole(): Role {
  const { data } = useSelf();
  if (data === undefined) return 'viewer';
  return data?.role ?? 'admin';
}

/** Whether this gateway keeps the user who is logged in, and the password with it; false until it has replied. */
export function useIsOwnUser(): boolean {
  const { data } = useSelf();
  return data !== undefined && data?.issuer === undefined;
}

/** Whether the user who is logged in has at least this role. */
export const useMay = (least: Role): boolean => includesRole(useRole(), least);
