import { LinkState, RunningState, type NodeStateRecord } from '@tagway/schemas';

/** Whether a node runs without a link. */
export const isOffline = ({ running, link }: NodeStateRecord): boolean =>
  running === RunningState.RUNNING && link !== LinkState.CONNECTED;

/** The numbers of a node's tags in error, by error code. */
export const tagsInError = ({ tags_in_error: counts }: NodeStateRecord): [code: number, count: number][] =>
  Object.entries(counts ?? {})
    .map(([code, count]): [number, number] => [Number(code), count])
    .filter(([, count]) => count > 0);

/** The counters of what a node has lost or keeps back in this run. */
export const losses = ['missed_ticks', 'cached_msgs', 'dropped_msgs_total', 'dropped_samples'] as const;

/** Whether a node runs without a link or with tags in error. */
export function isTroubled(state: NodeStateRecord): boolean {
  if (state.running !== RunningState.RUNNING) return false;
  return isOffline(state) || tagsInError(state).length > 0;
}

/** Whether a running node has lost something or keeps it back in this run, or reads a group too slowly. */
export const hasLosses = (state: NodeStateRecord): boolean =>
  state.running === RunningState.RUNNING &&
  (state.slow_groups !== undefined || losses.some((name) => (state[name] ?? 0) > 0));
