/** A time in which something was out of order on purpose, in milliseconds since the epoch. */
export interface Window {
  readonly from: number;
  /** Infinity as long as it is not over. */
  readonly to: number;
  /** What was out of order: `gateway`, `runner mqtt`, `device plant`, … */
  readonly what: string;
}

/** A time in which cycles or samples are missing that should be there. */
export interface Loss {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A change that a device reported: the number that it gave it, and the timestamp of the sample it came in. */
export interface Change {
  readonly time: number;
  readonly number: number;
}

/** From one cycle to the next it is this many intervals at most; twice the interval is a missed one, less is one that was late. */
const patience = 1.9;

const ascending = (one: number, other: number): number => one - other;

/** The parts of a time that no window covers. */
export function uncovered(
  from: number,
  to: number,
  windows: readonly Window[],
): (readonly [from: number, to: number])[] {
  const parts: [number, number][] = [];
  let at = from;
  for (const window of windows.toSorted((one, other) => one.from - other.from)) {
    if (window.to <= at || window.from >= to) continue;
    if (window.from > at) parts.push([at, window.from]);
    at = Math.max(at, window.to);
  }
  if (at < to) parts.push([at, to]);
  return parts;
}

/** Cycles that were missed outside of windows, by the timestamps of all samples of a group. */
export function missedCycles(
  times: readonly number[],
  interval: number,
  windows: readonly Window[],
  until: number,
): Loss[] {
  const sorted = [...new Set(times)].sort(ascending).filter((time) => time <= until);
  const losses: Loss[] = [];
  for (const [index, time] of sorted.entries()) {
    const next = sorted[index + 1] ?? until;
    for (const [from, to] of uncovered(time, next, windows)) {
      if (to - from > patience * interval)
        losses.push({ from, to, count: Math.max(1, Math.round((to - from) / interval) - 1) });
    }
  }
  return losses;
}

/** Samples that one subscriber had and the other did not, outside of windows. */
export function lostSamples(
  had: readonly number[],
  got: readonly number[],
  windows: readonly Window[],
  from: number,
  to: number,
): Loss[] {
  const there = new Set(got);
  const inWindow = (time: number): boolean =>
    windows.some((window) => time >= window.from && time <= window.to);
  const lost = [...new Set(had)]
    .filter((time) => time >= from && time <= to && !there.has(time) && !inWindow(time))
    .sort(ascending);
  return lost.map((time) => ({ from: time, to: time, count: 1 }));
}

/**
 * Numbers that are missing among changes that are counted from 1, outside of windows. The count begins anew when the driver does.
 */
export function lostChanges(
  changes: readonly Change[],
  windows: readonly Window[],
  from: number,
  to: number,
): Loss[] {
  const sorted = changes
    .filter(({ time }) => time >= from && time <= to)
    .toSorted((one, other) => one.time - other.time || one.number - other.number);
  const losses: Loss[] = [];
  for (const [index, change] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || change.number <= before.number + 1) continue;
    const isExcused = windows.some((window) => before.time <= window.to && change.time >= window.from);
    if (!isExcused)
      losses.push({ from: before.time, to: change.time, count: change.number - before.number - 1 });
  }
  return losses;
}

export const countOf = (losses: readonly Loss[]): number => losses.reduce((sum, { count }) => sum + count, 0);
