import { useEffect, useState } from 'react';
import { feed, type ReceivedValue } from '../live/feed.ts';
import { groupKey } from '../live/hub-cache.ts';

/** The value of a tag at this moment; it does not update. */
export const currentValue = (node: string, group: string, tag: string): ReceivedValue | undefined =>
  feed.get().values.get(groupKey(node, group))?.tagValues.get(tag);

/** The sort key of a value: numbers by size, errors after all values. */
export function orderOf(tagValue: ReceivedValue | undefined): string | number {
  if (tagValue === undefined || tagValue.error !== undefined) return `\uffff${tagValue?.message ?? ''}`;
  const { value } = tagValue;
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}

/** A number that changes every second while a list is sorted or filtered by values. */
export function useTick(isOn: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => setTick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  return tick;
}
