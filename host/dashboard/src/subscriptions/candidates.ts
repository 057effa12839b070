import type { Params, SubscribableReply, SubscriptionsReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, callRevised, type Revised } from '../api/call.ts';
import { useSubscriptions } from '../api/queries.ts';

/** A group of a driver, and whether and with which parameters an app subscribes to it. */
export interface Candidate {
  readonly key: string;
  readonly driver: string;
  readonly group: string;
  readonly isSubscribed: boolean;
  readonly params: Params;
}

/** Loads the parameters of a subscription; null when there is none. */
export async function loadSubscription(
  app: string,
  driver: string,
  group: string,
): Promise<Revised<Params | null>> {
  const { value, revision } = await callRevised<SubscriptionsReply>('GET', 'api/v2/subscribe', {
    query: { app },
  });
  const found = value.groups.find((one) => one.driver === driver && one.group === group);
  return { value: found === undefined ? null : (found.params ?? {}), revision };
}

/** All groups that an app can subscribe to. */
export function useCandidates(app: string): { readonly rows: readonly Candidate[]; readonly error: unknown } {
  const all = useQuery({
    queryKey: ['node', app, 'candidates'],
    queryFn: async () =>
      (await call<SubscribableReply>('GET', 'api/v2/subscribes', { query: { app } })).drivers,
  });
  const own = useSubscriptions(app);
  const rows = useMemo(() => {
    const params = new Map(own.data?.map((one) => [JSON.stringify([one.driver, one.group]), one.params]));
    return (all.data ?? []).flatMap(({ name: driver, groups }) =>
      groups.map(({ name: group }) => {
        const key = JSON.stringify([driver, group]);
        return { key, driver, group, isSubscribed: params.has(key), params: params.get(key) ?? {} };
      }),
    );
  }, [all.data, own.data]);
  return { rows, error: all.error ?? own.error };
}
