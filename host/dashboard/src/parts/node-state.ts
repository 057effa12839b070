import { LinkState, RunningState, type NodeStateRecord } from '@tagway/schemas';

/** True of a node that runs and has no connection. */
export const isOffline = ({ running, link }: NodeStateRecord): boolean =>
  running === RunningState.RUNNING && link !== LinkState.CONNECTED;

/** Tags of a node that cannot be read now, by the code that says why. */
export const tagsInError = ({ tags_in_error: counts }: NodeStateRecord): [code: number, count: number][] =>
  Object.entries(counts ?? {})
    .map(([code, count]): [number, number] => [Number(code), count])
    .filter(([, count]) => count > 0);

/** What a node that runs has lost in this run, or holds back. */
export const losses = ['missed_ticks', 'cached_msgs', 'dropped_msgs_total', 'dropped_samples'] as const;

/** True of a node that runs and does not do what it should. */
export function isTroubled(state: NodeStateRecord): boolean {
  if (state.running !== RunningState.RUNNING) return false;
  return isOffline(state) || tagsInError(state).length > 0;
}

/** True of a node that runs, and has left out, held back or lost something in this run. */
export const hasLosses = (state: NodeStateRecord): boolean =>
  state.running === RunningState.RUNNING && losses.some((name) => (state[name] ?? 0) > 0);
