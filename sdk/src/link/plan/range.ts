/** Where a point lies in a device: places `start` to `end - 1` of an area, counted in what the protocol counts, such as bytes or registers. */
export interface Range {
  /** What one request cannot reach across, such as a memory area or a data block, as a number. */
  readonly area: number;
  readonly start: number;
  readonly end: number;
}

/** Neighbouring items that one request reads: places `start` to `end - 1`. */
export interface PackedRange<T extends Range> extends Range {
  /** Sorted by place. */
  readonly items: readonly T[];
}

export interface PackOptions<T extends Range> {
  /** Most unused places that a request may read along to save a second one. */
  readonly gap: number | ((area: number) => number);
  /** Most places that one request can read. An item that is longer stands alone. */
  readonly most: number | ((area: number) => number);
  /** Says that no request may reach across the start of an item. */
  readonly cut?: (item: T) => boolean;
}

/**
 * Sorts items by area and place and packs them into as few requests as gap and limit allow.
 * @experimental May change until more drivers have used it.
 */
export function packRanges<T extends Range>(
  items: readonly T[],
  { gap, most, cut }: PackOptions<T>,
): PackedRange<T>[] {
  const packed: PackedRange<T>[] = [];
  let members: T[] = [];
  let area = 0;
  let start = 0;
  let end = 0;
  const close = (): void => {
    if (members.length > 0) packed.push({ area, start, end, items: members });
  };
  for (const item of items.toSorted(byPlace)) {
    const joins =
      members.length > 0 &&
      item.area === area &&
      item.start <= end + (typeof gap === 'number' ? gap : gap(area)) &&
      Math.max(end, item.end) - start <= (typeof most === 'number' ? most : most(area)) &&
      cut?.(item) !== true;
    if (!joins) {
      close();
      members = [];
      [area, start, end] = [item.area, item.start, item.end];
    }
    members.push(item);
    end = Math.max(end, item.end);
  }
  close();
  return packed;
}

/** By area, then by start, then by end. */
export function byPlace(left: Range, right: Range): number {
  return left.area - right.area || left.start - right.start || left.end - right.end;
}

/**
 * Where to split a refused request whose items are sorted by place: the index of the first item of the second half, or undefined when all
 * items have the same start and length. A gap that no item needs is preferred, because reading the gap may be all that was
 * wrong; next comes a boundary that no item straddles. Among equals the one nearest to the middle wins.
 * @experimental May change until more drivers have used it.
 */
export function splitPlace(items: readonly Range[]): number | undefined {
  const first = items[0] as Range;
  const middle = (first.start + items.reduce((most, item) => Math.max(most, item.end), 0)) / 2;
  let best: number | undefined;
  let bestRank = -1;
  let bestDistance = 0;
  let reached = first.end;
  for (let i = 1; i < items.length; i++) {
    const previous = items[i - 1] as Range;
    const item = items[i] as Range;
    const rank = item.start > reached ? 2 : item.start === reached ? 1 : 0;
    const distance = Math.abs((item.start + reached) / 2 - middle);
    reached = Math.max(reached, item.end);
    if (item.start === previous.start && item.end === previous.end) continue;
    if (rank < bestRank || (rank === bestRank && distance >= bestDistance)) continue;
    [best, bestRank, bestDistance] = [i, rank, distance];
  }
  return best;
}
