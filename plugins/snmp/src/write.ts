import { isFault, type DataType, type Fault, type Results, type Write } from '@tagway/sdk';
import { checkTag, parseAddress } from './address.ts';
import { encodeValue, tagOfSyntax, tagOfType } from './encode.ts';
import type { Exchange } from './exchange.ts';
import { halfWritten, undecodable, writeRefused } from './faults.ts';
import type { Names } from './names/names.ts';
import type { Syntax } from './names/smi.ts';
import type { Rows } from './rows.ts';
import type { Agent } from './session.ts';
import { Walk } from './walk.ts';
import { Tag } from './wire/ber.ts';
import { asked, bound, ErrorStatus, PduType, Varbinds } from './wire/pdu.ts';

/** One value to write, and the index of its write in the call. */
interface Piece {
  readonly index: number;
  readonly oid: Buffer;
  readonly type: DataType;
  readonly syntax: Syntax | undefined;
  readonly format: string | undefined;
}

interface Encoded {
  readonly index: number;
  readonly name: string;
  readonly varbind: Buffer;
}

export interface WriteParts {
  readonly exchange: Exchange;
  readonly agent: Agent;
  readonly names: Names;
  readonly rows: Rows;
  /** The tags of values by their objects, as the agent has shown them. */
  readonly tags: Map<string, number>;
  readonly into: Results;
  readonly signal: AbortSignal;
  readonly now: number;
  /** Most objects of one request. */
  readonly most: number;
}

/** Bytes of what is around the objects of a message. */
const overhead = 130;
/** Objects whose types are remembered. */
const mostTags = 10_000;

/** Sends all writes, as many in one request as the agent takes. Rejects when the link goes or the signal aborts. */
export async function sendWrites(writes: readonly Write[], parts: WriteParts): Promise<void> {
  const pieces = await locate(writes, parts);
  const unshown = await learn(pieces, parts);
  const waiting: Encoded[] = [];
  for (const piece of pieces) {
    const fault = unshown.get(piece);
    if (fault !== undefined) {
      parts.into.fault(piece.index, fault);
      continue;
    }
    const tag = parts.tags.get(nameOf(piece.oid)) ?? tagOfSyntax(piece.syntax) ?? tagOfType(piece.type);
    const value = encodeValue(writes[piece.index]!.value, tag, piece);
    if (isFault(value)) parts.into.fault(piece.index, value);
    else waiting.push({ index: piece.index, name: nameOf(piece.oid), varbind: bound(piece.oid, value) });
  }
  while (waiting.length > 0) {
    const request = waiting.splice(0, countOf(waiting, parts));
    waiting.unshift(...(await send(request, parts)));
  }
}

const nameOf = (oid: Buffer): string => oid.toString('latin1');

/** The instances that the writes are for; those that have none get their faults. */
async function locate(writes: readonly Write[], parts: WriteParts): Promise<readonly Piece[]> {
  const { agent, exchange, into, names, now, rows, signal } = parts;
  const pieces: Piece[] = [];
  for (const [index, { point }] of writes.entries()) {
    const address = checkTag(point) ?? parseAddress(point.address, names);
    if (isFault(address) || address.kind === 'trap') {
      into.fault(index, isFault(address) ? address : undecodable);
      continue;
    }
    const { syntax, format } = address;
    if (address.kind === 'object') {
      pieces.push({ index, oid: address.oid, type: point.type, syntax, format });
      continue;
    }
    const row = rows.row(address.key);
    // The row may have moved since it was read, so it is looked for before every write.
    row.moved();
    await rows.locate([row], new Walk(exchange, agent, signal), now);
    if (row.fault === undefined)
      pieces.push({ index, oid: row.place(address.column), type: point.type, syntax, format });
    else into.fault(index, row.fault);
  }
  return pieces;
}

/**
 * Asks the agent for the types of objects that are written for the first time. What it does not show is written as the MIB or the tag says;
 * what it does not answer is not written, and has its fault in the result.
 */
async function learn(pieces: readonly Piece[], parts: WriteParts): Promise<ReadonlyMap<Piece, Fault>> {
  const { tags, most } = parts;
  const unshown = new Map<Piece, Fault>();
  const unknown = pieces.filter(({ oid }) => !tags.has(nameOf(oid)));
  for (let at = 0; at < unknown.length; at += most) {
    const group = unknown.slice(at, at + most);
    const found = await learnTogether(group, parts);
    if (isFault(found)) for (const piece of group) unshown.set(piece, found);
    // One that cannot be read hides the others in version 1.
    if (found !== false || group.length === 1) continue;
    for (const piece of group) {
      const own = await learnTogether([piece], parts);
      if (isFault(own)) unshown.set(piece, own);
    }
  }
  return unshown;
}

/** Whether the agent has shown the objects. */
async function learnTogether(
  group: readonly Piece[],
  { exchange, signal, tags }: WriteParts,
): Promise<boolean | Fault> {
  const question = { type: PduType.GET, varbinds: Buffer.concat(group.map(({ oid }) => asked(oid))) };
  const answer = await exchange.ask(question, signal);
  if (isFault(answer)) return answer;
  if (answer.status !== ErrorStatus.NONE) return false;
  const varbinds = new Varbinds().begin(answer.varbinds);
  for (const { oid } of group) {
    if (!varbinds.next() || !varbinds.is(oid)) return false;
    const { tag } = varbinds.value;
    const isValue = tag < Tag.NO_SUCH_OBJECT && tag !== Tag.NULL;
    if (isValue && tags.size < mostTags) tags.set(nameOf(oid), tag);
  }
  return true;
}

/** How many of the first that wait one request has room for. An object comes once in it. */
function countOf(waiting: readonly Encoded[], { agent, most }: WriteParts): number {
  if (!agent.writesMany) return 1;
  const names = new Set<string>();
  let size = overhead;
  for (const { name, varbind } of waiting) {
    size += varbind.length;
    if (names.size > 0 && (names.has(name) || size > agent.maxSize || names.size >= most)) break;
    names.add(name);
  }
  return names.size;
}

/** Sends one request. What it returns is to be sent once more: an agent writes all of a request or nothing (RFC 3416, section 4.2.5). */
async function send(request: readonly Encoded[], parts: WriteParts): Promise<readonly Encoded[]> {
  const { agent, exchange, into, signal } = parts;
  const varbinds = Buffer.concat(request.map(({ varbind }) => varbind));
  const answer = await exchange.ask({ type: PduType.SET, varbinds }, signal);
  if (isFault(answer)) return failAll(request, answer, into);
  const { status, index } = answer;
  if (status === ErrorStatus.NONE) {
    for (const { index: write } of request) into.done(write);
    return [];
  }
  if (status === ErrorStatus.COMMIT_FAILED || status === ErrorStatus.UNDO_FAILED)
    return failAll(request, halfWritten, into);
  if (request.length === 1) return failAll(request, writeRefused(status), into);
  const cause = request[index - 1];
  if (cause !== undefined && status !== ErrorStatus.TOO_BIG) {
    into.fault(cause.index, writeRefused(status));
    return request.filter((one) => one !== cause);
  }
  // The agent does not say which it does not take, or takes one at a time.
  agent.writesMany = false;
  return request;
}

function failAll(request: readonly Encoded[], fault: Fault, into: Results): readonly Encoded[] {
  for (const { index } of request) into.fault(index, fault);
  return [];
}
