import { isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import { Area, checkTag, parseAddress, startOf, writable, type Address } from '../address.ts';
import { encodeRegisters } from './encode.ts';
import { limits, writeCoilsRequest, writeRegistersRequest } from '../pdu.ts';
import type { PlanSettings } from '../read/item.ts';

/** One write request and the places of the writes that it carries out. */
export interface WriteRequest {
  readonly unit: number;
  readonly pdu: Buffer;
  readonly indices: readonly number[];
}

interface Entry {
  readonly index: number;
  readonly address: Address;
  readonly start: number;
  /** One byte per coil, or the wire bytes of the registers. */
  readonly data: Uint8Array;
}

/**
 * Turns writes into requests, in order; those that cannot be sent get their fault. A write that touches the range of those just before it, at either end, joins them in one request, which
 * the device carries out as a whole; so nothing is written out of order, and nothing that no tag names.
 */
export function planWrites(
  writes: readonly Write[],
  settings: PlanSettings,
  into: Pick<Results, 'fault'>,
): readonly WriteRequest[] {
  const requests: WriteRequest[] = [];
  let joined: Entry[] = [];
  writes.forEach((write, index) => {
    const entry = entryOf(write, index, settings);
    if (isFault(entry)) {
      into.fault(index, entry);
    } else if (joined.length > 0 && atEnd(joined, entry)) {
      joined.push(entry);
    } else if (joined.length > 0 && atEnd([entry], joined[0] as Entry, joined)) {
      joined.unshift(entry);
    } else {
      if (joined.length > 0) requests.push(requestOf(joined));
      joined = [entry];
    }
  });
  if (joined.length > 0) requests.push(requestOf(joined));
  return requests;
}

function entryOf({ point, value }: Write, index: number, settings: PlanSettings): Entry | Fault {
  const address = parseAddress(point.address, point.type);
  const refused = isFault(address) || !writable(address) ? checkTag(point) : undefined;
  if (refused !== undefined) return refused;
  if (isFault(address)) return address;
  const start = startOf(address, settings.address_base);
  if (address.area === Area.COIL)
    return { index, address, start, data: Uint8Array.of(Number(value) === 0 ? 0 : 1) };
  const data = encodeRegisters(address, value, settings);
  return isFault(data) ? data : { index, address, start, data };
}

/** Whether `entry`, and what follows it, may come right after `before` in one request. */
function atEnd(before: readonly Entry[], entry: Entry, after: readonly Entry[] = [entry]): boolean {
  const first = before[0] as Entry;
  const last = before.at(-1) as Entry;
  const most = first.address.area === Area.COIL ? limits.writeBits : limits.writeRegisters;
  const end = after.reduce((reached, { start, address }) => Math.max(reached, start + address.count), 0);
  return (
    entry.address.unit === first.address.unit &&
    entry.address.area === first.address.area &&
    entry.start === last.start + last.address.count &&
    end - first.start <= most
  );
}

function requestOf(entries: readonly Entry[]): WriteRequest {
  const { start, address } = entries[0] as Entry;
  const data = Buffer.concat(entries.map((entry) => entry.data));
  return {
    unit: address.unit,
    indices: entries.map((entry) => entry.index),
    pdu:
      address.area === Area.COIL
        ? writeCoilsRequest(
            start,
            Array.from(data, (bit) => bit === 1),
          )
        : writeRegistersRequest(start, data),
  };
}
