import { DataType, ErrorCode, Fault, type BrowseEntry, type BrowsePage } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { requestOf, Service } from './cip.ts';
import { Status, statusInWords } from './faults.ts';
import { ClassCode, objectPath, symbolPath } from './path.ts';
import type { Session } from './session.ts';
import { elementaryOf, structureMark, tagTypeOf } from './types.ts';

/** Variables that one request lists, and one page shows. */
const pageSize = 100;

/** Variables of the program, not those of the system. */
const ofProgram = 2;

const oneElement = Buffer.from([1, 0]);

/** The published variables of an NJ or NX from number `start` on, the first of which is 1. Rejects with READ_FAILED when it does not list them. */
export async function listVariables(
  session: Session,
  start: number,
  options: AskOptions,
): Promise<BrowsePage> {
  const data = Buffer.alloc(10);
  data.writeUInt32LE(start, 0);
  data.writeUInt32LE(pageSize, 4);
  data.writeUInt16LE(ofProgram, 8);
  const path = objectPath(ClassCode.VARIABLE, 0);
  const reply = await session.ask(requestOf(Service.LIST_VARIABLES, path, data), options);
  if (reply.status !== Status.OK) {
    const why = statusInWords(reply.status, reply.extended);
    const text = `The controller does not list its variables: ${why}. Give the names of the variables that are to be read.`;
    throw new Fault(ErrorCode.READ_FAILED, text);
  }
  const names = namesOf(reply.data);
  if (names === undefined) session.misfit();
  const entries: BrowseEntry[] = [];
  for (const name of names) entries.push(await entryOf(session, name, options));
  const hasMore = reply.data[2] !== 0 && names.length > 0;
  return { type: 0, isArray: false, entries, ...(hasMore && { cursor: String(start + names.length) }) };
}

/** The names in an answer: a count, whether there are more, and entries with a length each. Undefined when one ends too early. */
export function namesOf(data: Buffer): string[] | undefined {
  if (data.length < 4) return undefined;
  const names: string[] = [];
  let at = 4;
  for (let left = data.readUInt16LE(0); left > 0; left--) {
    if (data.length - at < 9) return undefined;
    const end = at + 2 + data.readUInt16LE(at);
    const nameEnd = at + 9 + data[at + 8]!;
    if (end > data.length || nameEnd > end) return undefined;
    names.push(data.toString('utf8', at + 9, nameEnd));
    at = end;
  }
  return names;
}

/** What a variable is, by what the reply to a read of it says. */
async function entryOf(session: Session, name: string, options: AskOptions): Promise<BrowseEntry> {
  const reply = await session.ask(requestOf(Service.READ, symbolPath(name), oneElement), options);
  const entry = { name, id: name };
  if (reply.status === Status.REPLY_TOO_LARGE)
    return { ...entry, readable: true, type: DataType.BYTES, description: 'more than a message' };
  if (reply.status !== Status.OK || reply.data.length < 2)
    return { ...entry, readable: false, type: 0, description: statusInWords(reply.status, reply.extended) };
  const mark = reply.data.readUInt16LE(0);
  if (mark === structureMark)
    return { ...entry, readable: true, type: DataType.BYTES, description: 'structure' };
  const bytes = reply.data.length - 2;
  const variable = elementaryOf(mark, bytes);
  // A value of one byte may come with one more.
  const isArray = variable.size > 0 && bytes > Math.max(2, variable.size);
  return {
    ...entry,
    readable: true,
    type: isArray ? DataType.BYTES : tagTypeOf(variable),
    description: isArray ? `${variable.name}[]` : variable.name,
  };
}
