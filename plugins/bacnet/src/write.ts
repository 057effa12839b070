import { isFault, type Fault, type Results, type Write } from '@tagway/sdk';
import { checkTag, parseAddress } from './address.ts';
import { encode } from './encode.ts';
import { TagCursor } from './encoding.ts';
import { isDown, refusalOf, type Answer, type Exchange } from './exchange.ts';
import { RejectReason, tooLong, undecodable } from './faults.ts';
import { Kind, requestHead, Service } from './protocol.ts';
import {
  readError,
  readReference,
  writeProperty,
  writePropertyMultiple,
  type PropertyWrite,
} from './services.ts';
import type { Session } from './session.ts';

/** One value to write, and the place of its write in the call. */
interface Piece {
  readonly index: number;
  readonly item: PropertyWrite;
}

export interface WritingParts {
  readonly exchange: Exchange;
  readonly session: Session;
  readonly into: Results;
  readonly signal: AbortSignal;
  /** For addresses that name none. */
  readonly priority: number;
}

/** Writes all, in order, as many in one request as the device takes. Rejects when the link goes or the signal aborts. */
export async function writeAll(writes: readonly Write[], parts: WritingParts): Promise<void> {
  const pieces = encodeAll(writes, parts);
  const { session } = parts;
  for (let at = 0; at < pieces.length;) {
    const request = session.writeMultiple ? packed(pieces, at, session.maxApdu) : pieces.slice(at, at + 1);
    // One alone is written by the service that every device has.
    const done = request.length > 1 ? await writeMany(request, parts) : await writeOne(request, parts);
    at += done;
  }
}

/** What can be sent; the rest gets its fault. */
function encodeAll(writes: readonly Write[], { session, into, priority }: WritingParts): readonly Piece[] {
  const pieces: Piece[] = [];
  writes.forEach(({ point, value }, index) => {
    const address = checkTag(point) ?? parseAddress(point.address);
    const data = isFault(address) ? address : encode(address, point.type, value);
    if (isFault(address) || isFault(data)) return into.fault(index, data as Fault);
    const { object, property } = address;
    const item = { object, property, index: address.index, data, priority: address.priority ?? priority };
    if (requestHead + writeProperty(item).length > session.maxApdu)
      return into.fault(index, tooLong(session.maxApdu));
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

/** How many pieces have their results: 1. */
async function writeOne([piece]: readonly Piece[], parts: WritingParts): Promise<number> {
  if (piece === undefined) return 1;
  const { into } = parts;
  const answer = await ask(Service.WRITE_PROPERTY, writeProperty(piece.item), parts);
  const fault = isFault(answer) ? answer : writeResult(answer);
  if (fault === undefined) into.done(piece.index);
  else into.fault(piece.index, fault);
  return 1;
}

/** How many pieces have their results: the device writes them in order and stops at the first that it refuses (15.10). */
async function writeMany(pieces: readonly Piece[], parts: WritingParts): Promise<number> {
  const { into, session } = parts;
  const body = writePropertyMultiple(pieces.map(({ item }) => item));
  const answer = await ask(Service.WRITE_PROPERTY_MULTIPLE, body, parts);
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
    session.writeMultiple = false;
  // It is not known which of them the device has written: each is written by itself, which says it.
  for (const piece of pieces) await writeOne([piece], parts);
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

function writeResult(answer: Answer): Fault | undefined {
  return answer.kind === Kind.SIMPLE_ACK ? undefined : (refusalOf(answer, true) ?? undecodable);
}

async function ask(
  service: number,
  body: Buffer,
  { exchange, signal }: WritingParts,
): Promise<Answer | Fault> {
  try {
    return await exchange.command(service, body, signal);
  } catch (error) {
    if (!isFault(error) || isDown(error)) throw error;
    return error;
  }
}
