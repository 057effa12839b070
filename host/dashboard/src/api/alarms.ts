import type { AlarmFrequencyReply, AlarmJournalReply, AlarmsReply, AlarmTransition } from '@tagway/schemas';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

/** As many alarms as the page shows; what needs somebody comes first. */
export const alarmsMost = 1000;

/** The alarms that are not normal, looked at every two seconds. */
export const useAlarms = (): UseQueryResult<AlarmsReply> =>
  useQuery({
    queryKey: ['alarms'],
    queryFn: () => call<AlarmsReply>('GET', 'api/v2/alarms', { query: { page_size: alarmsMost } }),
    refetchInterval: 2000,
    placeholderData: keepPreviousData,
  });

/** How many alarms there are, for the menu. */
export const useAlarmCounts = (): UseQueryResult<AlarmsReply['counts']> =>
  useQuery({
    queryKey: ['alarms', 'counts'],
    queryFn: async () =>
      (await call<AlarmsReply>('GET', 'api/v2/alarms', { query: { page_size: 1 } })).counts,
    refetchInterval: 10_000,
  });

export interface JournalQuery {
  readonly node: string;
  readonly tag: string;
  readonly priority: string;
  readonly state: string;
}

export const useAlarmJournal = (query: JournalQuery, page: number): UseQueryResult<AlarmJournalReply> =>
  useQuery({
    queryKey: ['alarm journal', query, page],
    queryFn: () => call<AlarmJournalReply>('GET', 'api/v2/alarms/journal', { query: { ...query, page } }),
    placeholderData: keepPreviousData,
    refetchInterval: page === 0 ? 5000 : false,
  });

/** The alarms that were announced most often within the last seconds, up to a whole minute. */
export const useFrequentAlarms = (seconds: number): UseQueryResult<AlarmFrequencyReply> =>
  useQuery({
    queryKey: ['frequent alarms', seconds],
    queryFn: () => {
      const since = Math.floor(Date.now() / 60_000) * 60 - seconds;
      return call<AlarmFrequencyReply>('GET', 'api/v2/alarms/frequent', { query: { since } });
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** Gives a command to alarms, one call for each node. */
export async function commandAlarms(alarms: readonly AlarmTransition[], value: string): Promise<void> {
  const nodes = new Map<string, Map<string, { readonly tag: string; readonly value: string }[]>>();
  for (const { group, node, tag } of alarms) {
    const groups = nodes.get(node) ?? new Map<string, { readonly tag: string; readonly value: string }[]>();
    nodes.set(node, groups);
    groups.set(group, [...(groups.get(group) ?? []), { tag, value }]);
  }
  for (const [node, groups] of nodes) {
    const body = { node, groups: Array.from(groups, ([group, tags]) => ({ group, tags })) };
    await call('POST', 'api/v2/write/gtags', { body });
  }
}
