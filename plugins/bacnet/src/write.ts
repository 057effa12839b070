import { isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import { checkTag, parseAddress } from './address.ts';
import { encode } from './encode.ts';
import { TagCursor } from './encoding.ts';
import { refusalOf, type Answer, type Exchange } from './exchange.ts';
import { RejectReason, tooLong, undecodable } from './faults.ts';
import { Kind, requestHead, Service } from './protocol.ts';
import {
  readError,
  readReference,
  writeProperty,
  writePropertyMultiple,
  type PropertyWrite,
} from './services.ts';
import type { DeviceInfo } from './session.ts';

/** One value to write, and the index of its write in the call. */
interface Piece {
  readonly index: number;
  readonly item: PropertyWrite;
}

export interface WriteParts {
  readonly exchange: Exchange;
  readonly device: DeviceInfo;
  readonly into: Results;
  readonly signal: AbortSignal;
  /** For addresses that name no priority. */
  readonly priority: number;
}

/** Sends all writes in order, as many in one request as the device takes. Rejects when the link goes or the signal aborts. */
export async function sendWrites(writes: readonly Write[], parts: WriteParts): Promise<void> {
  const pieces = encodeAll(writes, parts);
  const { device } = parts;
  for (let at = 0; at < pieces.length;) {
    const request = device.writeMultiple ? packed(pieces, at, device.maxApdu) : pieces.slice(at, at + 1);
    // A single value is written by the service that every device has.
    if (request.length === 1) await writeOne(pieces[at++]!, parts);
    else at += await writeMany(request, parts);
  }
}

/** The writes that can be sent; the others get their faults. */
function encodeAll(writes: readonly Write[], { device, into, priority }: WriteParts): readonly Piece[] {
  const pieces: Piece[] = [];
  writes.forEach(({ point, value }, index) => {
    const address = checkTag(point) ?? parseAddress(point.address);
    const data = isFault(address) ? address : encode(address, point.type, value);
    if (isFault(address) || isFault(data)) return into.fault(index, data as Fault);
    const { object, property } = address;
    const item = { object, property, index: address.index, data, priority: address.priority ?? priority };
    if (requestHead + writeProperty(item).length > device.maxApdu)
      return into.fault(index, tooLong(device.maxApdu));
    pieces.push({ index, item });
  });
  return pieces;
}

/** The pieces from `at` on that one request has room for. */
function packed(pieces: readonly Piece[], at: number, maxApdu: number): readonly Piece[] {
  let size = requestHead;
  let end = at;
  // A property comes once in a request, because a refusal names the property alone.
  const named = new Set<string>();
  for (; end < pieces.length; end++) {
    const { item } = pieces[end] as Piece;
    const name = `${item.object} ${item.property} ${item.index}`;
    size += writePropertyMultiple([item]).length;
    if (size > maxApdu || named.has(name)) break;
    named.add(name);
  }
  return pieces.slice(at, Math.max(end, at + 1));
}

async function writeOne({ index, item }: Piece, { exchange, into, signal }: WriteParts): Promise<void> {
  const answer = await exchange.ask(Service.WRITE_PROPERTY, writeProperty(item), signal, true);
  if (isFault(answer)) into.fault(index, answer);
  else if (answer.kind === Kind.SIMPLE_ACK) into.done(index);
  else into.fault(index, refusalOf(answer, true) ?? undecodable);
}

/** How many pieces have their results: the device writes them in order and stops at the first that it refuses (15.10). */
async function writeMany(pieces: readonly Piece[], parts: WriteParts): Promise<number> {
  const { device, exchange, into, signal } = parts;
  const body = writePropertyMultiple(pieces.map(({ item }) => item));
  const answer = await exchange.ask(Service.WRITE_PROPERTY_MULTIPLE, body, signal, true);
  if (isFault(answer)) {
    for (const { index } of pieces) into.fault(index, answer);
    return pieces.length;
  }
  if (answer.kind === Kind.SIMPLE_ACK) {
    for (const { index } of pieces) into.done(index);
    return pieces.length;
  }
  const failed = answer.kind === Kind.ERROR ? firstFailed(answer, pieces) : -1;
  if (failed >= 0) {
    for (const { index } of pieces.slice(0, failed)) into.done(index);
    into.fault((pieces[failed] as Piece).index, refusalOf(answer, true) ?? undecodable);
    return failed + 1;
  }
  if (answer.kind === Kind.REJECT && answer.reason === RejectReason.UNRECOGNIZED_SERVICE)
    device.writeMultiple = false;
  // It is not known which of them the device has written, so each is written by itself.
  for (const piece of pieces) await writeOne(piece, parts);
  return pieces.length;
}

/** Which piece the device names as the first that it did not write; -1 when it names none of them. */
function firstFailed({ data }: Answer, pieces: readonly Piece[]): number {
  const cursor = new TagCursor().begin(data);
  if (!cursor.opening(0) || Number.isNaN(readError(cursor)) || !cursor.closing(0)) return -1;
  if (!cursor.opening(1)) return -1;
  const { at } = cursor;
  return pieces.findIndex(({ item }) => {
    cursor.begin(data, at);
    return cursor.context(0) && cursor.unsigned() === item.object && readReference(cursor, 1, item);
  });
}
