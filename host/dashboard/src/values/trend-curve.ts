import type { HistoryReply } from '@tagway/schemas';

/** A curve: times in seconds by the clock of this computer, and what the tag was; null where that is not known. */
export interface Curve {
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** The smallest and the largest value of each bucket. */
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

export const emptyCurve: Curve = { times: [], values: [], low: [], high: [] };

/** The curve of buckets. Those without a value and without an error are left out: the value before them holds. */
export function curveOf(reply: HistoryReply, ahead: number): Curve {
  const { from, before, times, min = [], max = [], mean = [], count = [], errors = [] } = reply;
  const curve = {
    times: [] as number[],
    values: [] as (number | null)[],
    low: [] as (number | null)[],
    high: [] as (number | null)[],
  };
  const add = (time: number, value: number | null, low = value, high = value): void => {
    curve.times.push((time - ahead) / 1000);
    curve.values.push(value);
    curve.low.push(low);
    curve.high.push(high);
  };
  if (before !== undefined && !hasValueAt(reply, 0)) add(from, numberFrom(before.value));
  const step = times.length > 1 ? times[1]! - times[0]! : 0;
  for (const [at, time] of times.entries()) {
    const hasValue = (count[at] ?? 0) > 0;
    if (hasValue)
      add(time, numberFrom(mean[at] ?? null), numberFrom(min[at] ?? null), numberFrom(max[at] ?? null));
    if ((errors[at] ?? 0) !== 0 && !(hasValue && hasValueAt(reply, at + 1))) add(time + step / 2, null);
  }
  return curve;
}

const hasValueAt = ({ count = [] }: HistoryReply, at: number): boolean => (count[at] ?? 0) > 0;

/** Large integers come as bigints. */
const numberFrom = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value);

/** The history of a tag, and behind it what has come since its first live value. */
export function joinCurve(
  history: Curve,
  [times, values]: readonly [readonly number[], readonly (number | null)[]],
): Curve {
  const [first] = times;
  const kept = first === undefined ? -1 : history.times.findIndex((time) => time >= first);
  const old = kept < 0 ? history.times.length : kept;
  return {
    times: [...history.times.slice(0, old), ...times],
    values: [...history.values.slice(0, old), ...values],
    low: [...history.low.slice(0, old), ...values],
    high: [...history.high.slice(0, old), ...values],
  };
}
