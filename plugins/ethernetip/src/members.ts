import { DataType, ErrorCode, Fault, isFault, type BrowseEntry, type BrowsePage } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { requestOf, Service } from './cip.ts';
import { Status, statusInWords } from './faults.ts';
import { ClassCode, objectPath, symbolPath } from './path.ts';
import type { Session } from './session.ts';
import { elementaryOf, tagTypeOf } from './types.ts';

/** Members of a structure that one page shows; each is asked for by itself. */
const pageSize = 100;

/** Codes of the types of NJ and NX that are no elementary ones. */
const Shape = { STRUCTURE_SHORT: 0xa0, UNION: 0x0c, STRUCTURE: 0xa2, ARRAY: 0xa3 } as const;

const shapes: readonly number[] = [Shape.STRUCTURE_SHORT, Shape.STRUCTURE, Shape.UNION];

/** What an NJ or NX says of a type, or of a member of one: class 6C, service 01. */
export interface TypeObject {
  readonly type: number;
  /** Of an array: the type of its elements. */
  readonly elementType: number;
  readonly sizes: readonly number[];
  readonly name: string;
  /** The number of the member that follows; 0 for the last. */
  readonly next: number;
  /** The number of the first member of what it is; 0 for what has none. */
  readonly nested: number;
}

/** The type object in an answer; undefined when the answer ends too early. */
export function typeObjectOf(data: Buffer): TypeObject | undefined {
  const count = data[7] ?? 0;
  const nameAt = 17 + 4 * count;
  const length = data[nameAt - 1];
  if (length === undefined) return undefined;
  const nameEnd = nameAt + length;
  // Length and name together fill whole words.
  const at = nameEnd + (length % 2 === 0 ? 1 : 0);
  if (at + 8 > data.length) return undefined;
  return {
    type: data[5]!,
    elementType: data[6]!,
    sizes: Array.from({ length: count }, (_, index) => data.readUInt32LE(8 + 4 * index)),
    name: data.toString('utf8', nameAt, nameEnd),
    next: data.readUInt32LE(at),
    nested: data.readUInt32LE(at + 4),
  };
}

/**
 * A page of the members of a variable of an NJ or NX, or of a member that is a structure itself. What is no structure has none. Rejects with
 * READ_FAILED.
 */
export async function listMembers(
  session: Session,
  id: string,
  cursor: number,
  options: AskOptions,
): Promise<BrowsePage> {
  const address = parseAddress(id, DataType.BYTES);
  if (isFault(address) || address.program !== '' || address.parts.some(({ indices }) => indices.length > 0))
    throw absent(id);
  const [root, ...members] = address.parts;
  let first = await firstMember(session, root.name, options);
  for (const { name } of members) {
    const found = await memberOf(session, first, name, options);
    if (found === undefined) throw absent(id);
    first = isStructure(found) ? found.nested : 0;
  }
  const entries: BrowseEntry[] = [];
  let at = cursor > 0 ? cursor : first;
  while (at > 0 && entries.length < pageSize) {
    const member = await typeObject(session, at, options);
    entries.push(entryOf(id, member));
    at = member.next === at ? 0 : member.next;
  }
  const type = first === 0 ? 0 : DataType.BYTES;
  return { type, isArray: false, entries, ...(at > 0 && { cursor: String(at) }) };
}

/** The number of the first member of a variable; 0 when it is no structure. */
async function firstMember(session: Session, name: string, options: AskOptions): Promise<number> {
  const reply = await session.ask(requestOf(Service.GET_ALL, symbolPath(name)), options);
  if (reply.status !== Status.OK) throw undescribed(name, statusInWords(reply.status, reply.extended));
  if (reply.data.length < 12) throw undescribed(name, 'its answer is too short');
  const type = reply.data.readUInt32LE(8);
  if (type === 0 || reply.data[4] === Shape.ARRAY) return 0;
  return (await typeObject(session, type, options)).nested;
}

async function memberOf(
  session: Session,
  first: number,
  name: string,
  options: AskOptions,
): Promise<TypeObject | undefined> {
  const seen = new Set<number>();
  for (let at = first; at > 0 && !seen.has(at);) {
    seen.add(at);
    const member = await typeObject(session, at, options);
    if (member.name.toLowerCase() === name.toLowerCase()) return member;
    at = member.next;
  }
  return undefined;
}

async function typeObject(session: Session, instance: number, options: AskOptions): Promise<TypeObject> {
  const path = objectPath(ClassCode.TEMPLATE, instance);
  const reply = await session.ask(requestOf(Service.GET_ALL, path), options);
  const what = `the type ${instance}`;
  if (reply.status !== Status.OK) throw undescribed(what, statusInWords(reply.status, reply.extended));
  return typeObjectOf(reply.data) ?? raise(undescribed(what, 'its answer is too short'));
}

function isStructure({ type, sizes }: TypeObject): boolean {
  return sizes.length === 0 && shapes.includes(type);
}

function entryOf(place: string, member: TypeObject): BrowseEntry {
  const { elementType, name, sizes, type } = member;
  const own = sizes.length > 0 ? elementType : type;
  const variable = elementaryOf(own);
  const typeName = shapes.includes(own) ? 'structure' : variable.name;
  const isWhole = sizes.length > 0 || shapes.includes(own);
  return {
    name,
    id: `${place}.${name}`,
    readable: true,
    type: isWhole ? DataType.BYTES : tagTypeOf(variable),
    description: sizes.length > 0 ? `${typeName}[${sizes.join(',')}]` : typeName,
  };
}

function absent(id: string): Fault {
  return new Fault(
    ErrorCode.READ_FAILED,
    `The controller has no structure at ${id} whose members it lists; elements of arrays are not listed.`,
  );
}

function undescribed(what: string, why: string): Fault {
  return new Fault(
    ErrorCode.READ_FAILED,
    `The controller does not describe ${what}: ${why}. Give the names of the members that are to be read.`,
  );
}

function raise(fault: Fault): never {
  throw fault;
}
