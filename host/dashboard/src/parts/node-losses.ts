import { RunningState, type NodeStateRecord } from '@tagway/schemas';

/** The counters of what a node has lost or keeps back in this run. */
export const losses = ['missed_ticks', 'cached_msgs', 'dropped_msgs_total', 'dropped_samples'] as const;

/** Whether a running node has lost something or keeps it back in this run, or reads a group too slowly. */
export const hasLosses = (state: NodeStateRecord): boolean =>
  state.running === RunningState.RUNNING &&
  (state.slow_groups !== undefined || losses.some((name) => (state[name] ?? 0) > 0));
