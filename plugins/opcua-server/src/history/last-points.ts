import type { HistoryPoint } from '@tagway/sdk';
import type { HistorySource } from './history-part.ts';

/** Milliseconds before the end of a range that are looked at first. */
const firstLook = 60_000;

/**
 * The last values of a range, in the order of time, at least `count` of them unless the range has fewer. A history is read from its old end on:
 * this looks further and further back, so that the last values of a day do not cost the whole day.
 */
export async function readLast(
  history: HistorySource,
  from: number,
  to: number,
  count: number,
): Promise<{ readonly points: readonly HistoryPoint[]; readonly isWhole: boolean }> {
  let points: HistoryPoint[] = [];
  let end = to;
  for (let look = firstLook; end >= from; look *= 4) {
    const begin = Math.max(from, end - look);
    const { found, oldest } = await readAll(history, begin, end, count);
    points = [...found, ...points];
    if (points.length >= count) return { points: points.slice(-count), isWhole: false };
    if (oldest === undefined || begin <= oldest) break;
    end = begin - 1;
  }
  return { points, isWhole: true };
}

/** The last values of a range, of which only as many are kept as are wanted. */
async function readAll(
  history: HistorySource,
  from: number,
  to: number,
  count: number,
): Promise<{ readonly found: readonly HistoryPoint[]; readonly oldest: number | undefined }> {
  let found: readonly HistoryPoint[] = [];
  for (let begin = from; ;) {
    const { points, next, oldest } = await history({ from: begin, to });
    found = [...found, ...points].slice(-count);
    if (next === undefined) return { found, oldest };
    begin = next;
  }
}
