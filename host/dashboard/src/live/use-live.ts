import type { NodeStateRecord } from '@tagway/schemas';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { feed, type GroupValues, type SeenReading } from './feed.ts';
import { groupKey } from './known.ts';
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

/** The newest reading of one tag; the component is drawn anew when it changes, and not for others of the group. */
export const useReading = (node: string, group: string, tag: string): SeenReading | undefined =>
  useSyncExternalStore(feed.subscribe, () => feed.get().values.get(groupKey(node, group))?.readings.get(tag));

/** Takes what is wanted from now on, as often as it changes, without drawing anything. */
export function useWant(): (demands: readonly Demand[]) => void {
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  return useCallback((demands) => {
    const before = release.current;
    release.current = feed.want(demands);
    before?.();
  }, []);
}
