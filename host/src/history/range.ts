import type { Points } from './points.ts';

/** Points that are stored or waiting, in the order in which they were taken. */
export interface Piece {
  /** The times of its first and its last point. */
  readonly first: number;
  readonly last: number;
  /** Nothing is known of the time between the piece before and this one. */
  readonly isAfterGap: boolean;
  /** Undefined where there is nothing of the tag. */
  readonly load: () => Promise<Points | undefined>;
}

/** What holds of a piece: from `from` to `to`, both included. */
export interface Visible {
  readonly piece: Piece;
  readonly from: number;
  readonly to: number;
}

/**
 * What holds of each piece, in the order of time. When the clock is set back, times come twice: what was taken later holds in the time that it
 * covers.
 */
export function visibleOf(pieces: readonly Piece[]): Visible[] {
  const visible: Visible[] = [];
  for (const piece of pieces) {
    const { first, last } = piece;
    const own = { piece, from: first, to: last };
    if (first > (visible.at(-1)?.to ?? -Infinity)) {
      visible.push(own);
      continue;
    }
    const begin = visible.findIndex(({ to }) => to >= first);
    const after = visible.findIndex(({ from }) => from > last);
    const end = after < 0 ? visible.length : after;
    const covered = visible.slice(begin, end);
    const before = covered.slice(0, 1).filter(({ from }) => from < first);
    const rest = covered.slice(-1).filter(({ to }) => to > last);
    visible.splice(
      begin,
      end - begin,
      ...before.map((one) => ({ ...one, to: justBefore(first) })),
      own,
      ...rest.map((one) => ({ ...one, from: justAfter(last) })),
    );
  }
  return visible;
}

// Times are whole milliseconds in practice, and nothing breaks where they are not.
const justBefore = (time: number): number => time - Number.EPSILON * Math.abs(time);
const justAfter = (time: number): number => time + Number.EPSILON * Math.abs(time);

/** The first entry at or after a time. */
export function placeOf(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
