import type { AskOptions } from '@tagway/sdk/link';
import { requestOf, Service, type Reply } from './cip.ts';
import { Status } from './faults.ts';
import { ClassCode, objectPath, symbolPath } from './path.ts';
import type { Session } from './session.ts';
import { structureOf, templateSizeOf, typeWordOf, type Structure, type TypeWord } from './template.ts';

/** A tag of the controller, or of one of its programs. */
export interface Tag {
  readonly name: string;
  readonly instance: number;
  readonly type: TypeWord;
  readonly dimensions: readonly number[];
  /** Whether it is a tag itself, and no other name of one, as far as the controller says. */
  readonly isBase: boolean;
  readonly isReadOnly: boolean;
  readonly isClosed: boolean;
}

/** A list of attributes, with the bytes of each; the name is of any length. */
interface Attributes {
  readonly ids: readonly number[];
  readonly hasSoftwareControl: boolean;
  readonly hasAccess: boolean;
}

/** Name, type, software control, dimensions and access from outside; older controllers do not have all of them. */
const attributeSets: readonly Attributes[] = [
  { ids: [1, 2, 6, 8, 10], hasSoftwareControl: true, hasAccess: true },
  { ids: [1, 2, 8], hasSoftwareControl: false, hasAccess: false },
];

const baseTag = 0x0400_0000;

/** Most pages of a list, so that a controller that sends the same again and again comes to an end. */
const mostPages = 20_000;

/** The tags of the controller, or of a program; the refusal when it does not list them. Rejects as the link does. */
export async function uploadTags(
  session: Session,
  program: string,
  options: AskOptions,
): Promise<Tag[] | Reply> {
  let refusal: Reply | undefined;
  for (const attributes of attributeSets) {
    const tags = await uploadWith(session, program, attributes, options);
    if (Array.isArray(tags)) return tags;
    refusal = tags;
  }
  return refusal as Reply;
}

async function uploadWith(
  session: Session,
  program: string,
  attributes: Attributes,
  options: AskOptions,
): Promise<Tag[] | Reply> {
  const scope = program === '' ? Buffer.alloc(0) : symbolPath(`Program:${program}`);
  const data = Buffer.alloc(2 + 2 * attributes.ids.length);
  data.writeUInt16LE(attributes.ids.length, 0);
  for (const [index, id] of attributes.ids.entries()) data.writeUInt16LE(id, 2 + 2 * index);
  const tags: Tag[] = [];
  let first = 0;
  for (let page = 0; page < mostPages; page++) {
    const path = Buffer.concat([scope, objectPath(ClassCode.SYMBOL, first)]);
    const reply = await session.ask(requestOf(Service.LIST, path, data), options);
    if (reply.status !== Status.OK && reply.status !== Status.PARTIAL) return reply;
    const more = tagsOf(reply.data, attributes);
    const last = more?.at(-1);
    if (more === undefined) session.misfit();
    tags.push(...more);
    if (reply.status === Status.OK || last === undefined || last.instance < first) break;
    first = last.instance + 1;
  }
  return tags;
}

/** The tags of one page; undefined when it ends in the middle of one. */
export function tagsOf(
  data: Buffer,
  { hasSoftwareControl, hasAccess }: Attributes = attributeSets[0]!,
): Tag[] | undefined {
  const tags: Tag[] = [];
  const rest = 2 + (hasSoftwareControl ? 4 : 0) + 12 + (hasAccess ? 1 : 0);
  for (let at = 0; at < data.length;) {
    if (data.length - at < 6) return undefined;
    const instance = data.readUInt32LE(at);
    const nameEnd = at + 6 + data.readUInt16LE(at + 4);
    if (data.length - nameEnd < rest) return undefined;
    const name = data.toString('utf8', at + 6, nameEnd);
    const type = typeWordOf(data.readUInt16LE(nameEnd));
    at = nameEnd + 2;
    const control = hasSoftwareControl ? data.readUInt32LE(at) : 0;
    if (hasSoftwareControl) at += 4;
    const dimensions = Array.from({ length: type.dimensions }, (_, index) =>
      data.readUInt32LE(at + 4 * index),
    );
    at += 12;
    const access = hasAccess ? data[at++]! : 0;
    const isBase = (control & baseTag) !== 0;
    tags.push({ name, instance, type, dimensions, isBase, isReadOnly: access === 2, isClosed: access === 3 });
  }
  return tags;
}

/** A structure by the number of its template; undefined when the controller does not give it. Rejects as the link does. */
export async function uploadStructure(
  session: Session,
  template: number,
  options: AskOptions,
): Promise<Structure | undefined> {
  const path = objectPath(ClassCode.TEMPLATE, template);
  const list = Buffer.from([4, 0, 4, 0, 5, 0, 2, 0, 1, 0]);
  const reply = await session.ask(requestOf(Service.GET_LIST, path, list), options);
  const size = reply.status === Status.OK ? templateSizeOf(reply.data) : undefined;
  if (size === undefined || size.definition <= 0) return undefined;
  const pieces: Buffer[] = [];
  for (let at = 0; at < size.definition;) {
    const data = Buffer.alloc(6);
    data.writeUInt32LE(at, 0);
    data.writeUInt16LE(Math.min(size.definition - at, 0xffff), 4);
    const piece = await session.ask(requestOf(Service.READ, path, data), options);
    const isPart = piece.status === Status.PARTIAL && piece.data.length > 0;
    if (piece.status !== Status.OK && !isPart) return undefined;
    pieces.push(piece.data);
    at += piece.data.length;
    if (!isPart) break;
  }
  return structureOf(size, Buffer.concat(pieces));
}
