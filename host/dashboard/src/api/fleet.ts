import { includesRole, type FleetGateways, type FleetReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';
import { useStatus } from './pair.ts';
import { useRole } from './use-role.ts';

/** Milliseconds between two looks at the fleet, and while a gateway of it is asked for the first time. */
const lookEvery = 5000;
const lookAgain = 250;

/** How the gateways of the fleet are. They are asked while the page can be seen. */
export const useFleet = (): UseQueryResult<FleetReply> =>
  useQuery({
    queryKey: ['fleet'],
    queryFn: () => call<FleetReply>('GET', 'api/v2/fleet'),
    refetchInterval: ({ state }) =>
      state.data?.gateways.some(({ health }) => health === 'waiting') === true ? lookAgain : lookEvery,
    staleTime: 0,
  });

/** The list of the gateways of the fleet, for admins. */
export const useFleetList = (): UseQueryResult<FleetGateways> =>
  useQuery({
    queryKey: ['fleet', 'gateways'],
    queryFn: () => call<FleetGateways>('GET', 'api/v2/fleet/gateways'),
  });

/** Whether the page of the fleet is in the menu: when there is a fleet, or somebody who may set its list. */
export function useHasFleet(): boolean {
  const isAdmin = includesRole(useRole(), 'admin');
  const { data } = useStatus();
  return isAdmin || (data?.fleet ?? 0) > 0;
}
