import type { AppContext, HistoryPoint } from '@tagway/sdk';

type Readings = AppContext['history'];

/** A point without a fault. */
export const pointAt = (time: number, value: number | bigint): HistoryPoint => ({
  time,
  value,
  error: 0,
  quality: 0,
});

/** The history of a tag with these points, as the gateway reads it. */
export const historyOf =
  (points: readonly HistoryPoint[]): Readings =>
  async (_tag, { from, to, step, limit = 10_000 }) => {
    const found = points.filter(({ time }) => time >= from && time <= to);
    const rest = {
      oldest: points[0]?.time,
      before: points.findLast(({ time }) => time < from),
      problem: undefined,
    };
    if (step === undefined) {
      // Values of one time come together.
      let end = limit;
      while (end < found.length && found[end]?.time === found[end - 1]?.time) end++;
      return { ...rest, points: found.slice(0, end), buckets: [], next: found[end]?.time };
    }
    const count = Math.max(1, Math.ceil((to - from) / step));
    const buckets = Array.from({ length: count }, (_, at) => {
      const inBucket = found.filter(
        ({ time }) => Math.min(Math.floor((time - from) / step), count - 1) === at,
      );
      const values = inBucket.flatMap(({ value }) => (value === undefined ? [] : [Number(value)]));
      const has = values.length > 0;
      return {
        time: from + at * step,
        min: has ? Math.min(...values) : undefined,
        max: has ? Math.max(...values) : undefined,
        mean: has ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined,
        count: values.length,
        error: inBucket.findLast(({ error }) => error !== 0)?.error ?? 0,
        quality: 0,
      };
    });
    return { ...rest, points: [], buckets, next: undefined };
  };
