import { LinkState, RunningState } from './enumerations.ts';
import type { NodeStateRecord } from './generated/api.ts';

/** How a node is now: one word for its state, its link, its tags and its intervals. The worst comes first. */
export const healths = ['down', 'degraded', 'good', 'stopped'] as const;
export type Health = (typeof healths)[number];

/** What the health of a node is judged by. */
export type NodeCondition = Pick<NodeStateRecord, 'running' | 'link' | 'tags_in_error' | 'slow_groups'>;

export function healthOf(state: NodeCondition): Health {
  if (state.running !== RunningState.RUNNING) return 'stopped';
  if (isOffline(state)) return 'down';
  return isTroubled(state) || state.slow_groups !== undefined ? 'degraded' : 'good';
}

/** The nodes of each health. */
export function countHealths(states: Iterable<NodeCondition>): Record<Health, number> {
  const counts = { down: 0, degraded: 0, good: 0, stopped: 0 };
  for (const state of states) counts[healthOf(state)] += 1;
  return counts;
}

/** Nodes that are down first, then those that are degraded, then by name. */
export const worstFirst = (
  a: NodeCondition & { readonly node: string },
  b: NodeCondition & { readonly node: string },
): number => healths.indexOf(healthOf(a)) - healths.indexOf(healthOf(b)) || a.node.localeCompare(b.node);

/** Whether a node runs without a link. */
export const isOffline = ({ running, link }: Pick<NodeCondition, 'running' | 'link'>): boolean =>
  running === RunningState.RUNNING && link !== LinkState.CONNECTED;

/** The numbers of a node's tags in error, by error code. */
export const tagsInError = ({
  tags_in_error: counts,
}: Pick<NodeCondition, 'tags_in_error'>): [code: number, count: number][] =>
  Object.entries(counts ?? {})
    .map(([code, count]): [number, number] => [Number(code), count])
    .filter(([, count]) => count > 0);

/** Whether a node runs without a link or with tags in error. */
export function isTroubled(state: NodeCondition): boolean {
  if (state.running !== RunningState.RUNNING) return false;
  return isOffline(state) || tagsInError(state).length > 0;
}
