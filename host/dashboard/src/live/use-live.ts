import type { NodeStateRecord } from '@tagway/schemas';
import { useEffect, useSyncExternalStore } from 'react';
import { feed, groupKey, type GroupValues } from './feed.ts';
import type { Connection, Demand } from './messages.ts';

/** How the page is connected. */
export const useConnection = (): Connection =>
  useSyncExternalStore(feed.subscribe, () => feed.get().connection);

/** The states of all nodes by name, newest; undefined until they came first. */
export const useStates = (): ReadonlyMap<string, NodeStateRecord> | undefined =>
  useSyncExternalStore(feed.subscribe, () => feed.get().states);

/** The newest values of a group that is wanted (see `useDemand`). */
export const useGroupValues = (node: string, group: string): GroupValues | undefined =>
  useSyncExternalStore(feed.subscribe, () => feed.get().values.get(groupKey(node, group)));

/** Wants values while the component stands. */
export function useDemand(demands: readonly Demand[]): void {
  const text = JSON.stringify(demands);
  useEffect(() => feed.want(JSON.parse(text) as Demand[]), [text]);
}
