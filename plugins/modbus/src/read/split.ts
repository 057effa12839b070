import type { Item } from './item.ts';

/** A refused request that is read again in two halves. */
export interface Split {
  /** First item of the second half. */
  readonly boundary: Item;
  /** How many of the two halves were read well as a whole. */
  good: number;
}

/**
 * Where to split a refused request: the index of the first item of the second half, or undefined when all items have the
 * same start and length. A gap that no item needs is preferred, because reading the gap may be all that was wrong; next
 * comes a boundary that no item straddles. Among equals the one nearest to the middle wins.
 */
export function splitPlace(items: readonly Item[]): number | undefined {
  const first = items[0] as Item;
  const middle = (first.start + items.reduce((most, item) => Math.max(most, item.end), 0)) / 2;
  let best: number | undefined;
  let bestRank = -1;
  let bestDistance = 0;
  let reached = first.end;
  for (let i = 1; i < items.length; i++) {
    const previous = items[i - 1] as Item;
    const item = items[i] as Item;
    const rank = item.start > reached ? 2 : item.start === reached ? 1 : 0;
    const distance = Math.abs((item.start + reached) / 2 - middle);
    reached = Math.max(reached, item.end);
    if (item.start === previous.start && item.end === previous.end) continue;
    if (rank < bestRank || (rank === bestRank && distance >= bestDistance)) continue;
    [best, bestRank, bestDistance] = [i, rank, distance];
  }
  return best;
}
