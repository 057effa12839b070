import { isBitArea, limits } from '../pdu.ts';
import type { Item } from './item.ts';
import { ReadRequest } from './read-request.ts';

/**
 * Packs items of one unit, sorted by place, into as few requests as the limits of the protocol allow. `maxGap` is the number
 * of unused registers that a request may read along. `isCut` says that the device refuses to read across the start of an
 * item.
 */
export function packRequests(
  items: readonly Item[],
  maxGap: number,
  isCut: (item: Item) => boolean,
): ReadRequest[] {
  const requests: ReadRequest[] = [];
  let members: Item[] = [];
  let start = 0;
  let end = 0;
  for (const item of items) {
    const { area } = item.address;
    const bits = isBitArea(area);
    const joins =
      members[0]?.address.area === area &&
      item.start <= end + maxGap * (bits ? 16 : 1) &&
      Math.max(end, item.end) - start <= (bits ? limits.readBits : limits.readRegisters) &&
      !isCut(item);
    if (!joins) {
      if (members.length > 0) requests.push(new ReadRequest(members));
      members = [];
      start = item.start;
      end = item.end;
    }
    members.push(item);
    end = Math.max(end, item.end);
  }
  if (members.length > 0) requests.push(new ReadRequest(members));
  return requests;
}
