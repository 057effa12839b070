import { packRanges } from '@tagway/sdk/link';
import type { Area } from '../address.ts';
import { isBitArea, limits } from '../pdu.ts';
import type { Item } from './item.ts';
import { ReadRequest } from './read-request.ts';

/**
 * Packs items of one unit into as few requests as the limits of the protocol allow. `maxGap` is the number of unused registers that a
 * request may read along. `cut` says that the device refuses to read across the start of an item.
 */
export function packRequests(
  items: readonly Item[],
  maxGap: number,
  cut: (item: Item) => boolean,
): ReadRequest[] {
  const packed = packRanges(items, {
    gap: (area) => maxGap * (isBitArea(area as Area) ? 16 : 1),
    most: (area) => (isBitArea(area as Area) ? limits.readBits : limits.readRegisters),
    cut,
  });
  return packed.map((range) => new ReadRequest(range.items));
}
