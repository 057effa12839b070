import { RunningState, type NodeStateRecord } from '@tagway/schemas';
import { isOffline, isTroubled } from './node-state.ts';

/** How a node is now: one word for its state, its link, its tags and its intervals. The worst comes first. */
export const healths = ['down', 'degraded', 'good', 'stopped'] as const;
export type Health = (typeof healths)[number];

export function healthOf(state: NodeStateRecord): Health {
  if (state.running !== RunningState.RUNNING) return 'stopped';
  if (isOffline(state)) return 'down';
  return isTroubled(state) || state.slow_groups !== undefined ? 'degraded' : 'good';
}

/** The nodes of each health. */
export function countHealths(states: Iterable<NodeStateRecord>): Record<Health, number> {
  const counts = { down: 0, degraded: 0, good: 0, stopped: 0 };
  for (const state of states) counts[healthOf(state)] += 1;
  return counts;
}

/** Nodes that are down first, then those that are degraded, then by name. */
export const worstFirst = (a: NodeStateRecord, b: NodeStateRecord): number =>
  healths.indexOf(healthOf(a)) - healths.indexOf(healthOf(b)) || a.node.localeCompare(b.node);
