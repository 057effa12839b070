import { useEffect, useState } from 'react';
import { feed, type SeenReading } from '../live/feed.ts';
import { groupKey } from '../live/known.ts';

/** The reading of a tag at this moment, without following it. */
export const readingNow = (node: string, group: string, tag: string): SeenReading | undefined =>
  feed.get().values.get(groupKey(node, group))?.readings.get(tag);

/** What a column of values is sorted by: numbers by size, errors after all values. */
export function orderOf(reading: SeenReading | undefined): string | number {
  if (reading === undefined || reading.error !== undefined) return `\uffff${reading?.message ?? ''}`;
  const { value } = reading;
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}

/** A number that changes every second while something is to be ordered by values. */
export function useTick(isOn: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => setTick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  return tick;
}
