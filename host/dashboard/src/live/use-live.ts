import type { NodeStateRecord } from '@tagway/schemas';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { feed, type GroupValues, type ReceivedValue } from './feed.ts';
import { groupKey } from './hub-cache.ts';
import type { Connection, Demand } from './messages.ts';

/** The state of the connection to the gateway. */
export const useConnection = (): Connection =>
  useSyncExternalStore(feed.subscribe, () => feed.get().connection);

/** The newest states of all nodes, by name; undefined before the first ones arrive. */
export const useStates = (): ReadonlyMap<string, NodeStateRecord> | undefined =>
  useSyncExternalStore(feed.subscribe, () => feed.get().states);

/** The newest values of a group that is requested (see `useDemand`). */
export const useGroupValues = (node: string, group: string): GroupValues | undefined =>
  useSyncExternalStore(feed.subscribe, () => feed.get().values.get(groupKey(node, group)));

/** Requests values while the component is mounted. */
export function useDemand(demands: readonly Demand[]): void {
  const text = JSON.stringify(demands);
  useEffect(() => feed.want(JSON.parse(text) as Demand[]), [text]);
}

/** The newest value of one tag. The component renders again only when this value changes. */
export const useTagValue = (node: string, group: string, tag: string): ReceivedValue | undefined =>
  useSyncExternalStore(feed.subscribe, () =>
    feed.get().values.get(groupKey(node, group))?.tagValues.get(tag),
  );

/** Returns a function that replaces the demands of the component, without a new rendering. */
export function useWant(): (demands: readonly Demand[]) => void {
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  return useCallback((demands) => {
    const before = release.current;
    release.current = feed.want(demands);
    before?.();
  }, []);
}
