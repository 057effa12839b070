import { isFault, type Clock, type Fault, type Results, type Write } from '@tagway/sdk';
import { abortable, disconnected, noResponse, Priority } from '@tagway/sdk/link';
import { Area, checkTag, parseAddress, startOf, writable, type Address } from './address.ts';
import { encodeRegisters } from './encode.ts';
import { Exception, isUnreachable, writeRefused } from './faults.ts';
import { limits, writeCoilsRequest, writeRegistersRequest } from './protocol.ts';
import type { ModbusSettings, PlanSettings } from './settings.ts';
import { SingleRequest } from './single-request.ts';
import type { Traffic } from './traffic.ts';

/** Least pause before a write is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

/** One write request, and the indices of the writes that it carries out. */
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
 * Makes requests of writes, in order; those that cannot be sent get their fault. A write that touches the range of those just before it, at
 * either end, joins them in one request, which the device carries out as a whole. Registers that no tag names are never written.
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

export interface WriteParts {
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly settings: ModbusSettings;
  readonly signal: AbortSignal;
}

/** Sends the requests in order; each write gets its result. Rejects with the signal's reason. */
export async function sendWrites(
  requests: readonly WriteRequest[],
  parts: WriteParts,
  into: Results,
): Promise<void> {
  for (const request of requests) {
    const fault = await sendWrite(request, parts);
    for (const index of request.indices) {
      if (fault === undefined) into.done(index);
      else into.fault(index, fault);
    }
  }
}

/** Sends one write. It is repeated only after the exception "busy", which says that the device has done nothing. */
async function sendWrite(request: WriteRequest, parts: WriteParts): Promise<Fault | undefined> {
  const { clock, settings, signal } = parts;
  for (let tries = 0; ; tries++) {
    const outcome = await ask(request, parts);
    if (outcome === 0) return undefined;
    if (isFault(outcome)) return outcome;
    if (isUnreachable(outcome)) return noResponse;
    if (outcome !== Exception.SERVER_DEVICE_BUSY || tries >= Math.max(settings.max_retries, 1))
      return writeRefused(outcome);
    await clock.sleep(Math.max(settings.retry_interval, busyPause), signal);
  }
}

/**
 * Resolves with the device's answer: 0 when it confirms the write, the code of its exception, or the fault of the link. A write that
 * has not left waits for a connection that may be back; one that went with the connection is not sent again, because the
 * device may have obeyed it.
 */
async function ask({ unit, pdu }: WriteRequest, { traffic, signal }: WriteParts): Promise<number | Fault> {
  signal.throwIfAborted();
  if (!traffic.isOpen) return disconnected;
  const { promise, resolve } = Promise.withResolvers<number | Fault>();
  const write = new SingleRequest(traffic, unit, pdu, Priority.WRITE, resolve);
  traffic.add(write);
  return abortable(promise, signal, () => traffic.remove(write));
}
