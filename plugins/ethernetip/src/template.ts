import { CipType } from './types.ts';

/** The word by which a controller says what a tag or a member is. */
export interface TypeWord {
  readonly isStructure: boolean;
  /** Elementary code, or number of the template of a structure. */
  readonly code: number;
  /** Number of dimensions of an array; 0 for others. */
  readonly dimensions: number;
  /** Whether it is the system's own, and not to be touched. */
  readonly isSystem: boolean;
}

export function typeWordOf(word: number): TypeWord {
  const isStructure = (word & 0x8000) !== 0;
  return {
    isStructure,
    code: isStructure ? word & 0xfff : word & 0xff,
    dimensions: (word >> 13) & 3,
    isSystem: (word & 0x1000) !== 0,
  };
}

/** A member of a structure. */
export interface Member {
  readonly name: string;
  readonly type: TypeWord;
  /** Elements of an array; 0 for others. */
  readonly count: number;
  /** Byte in the structure. */
  readonly offset: number;
  /** The bit of that byte which is a BOOL; -1 for other types. */
  readonly bit: number;
}

/** How the values of a structure lie in its bytes. */
export interface Structure {
  readonly name: string;
  /** By what its values begin in requests and replies. */
  readonly handle: number;
  /** Bytes. */
  readonly size: number;
  /** By names in lower case, in the order of the structure. */
  readonly members: ReadonlyMap<string, Member>;
  /** Most characters when it is a text; -1 for others. */
  readonly characters: number;
}

/** What a controller says of a template before its definition. */
export interface TemplateSize {
  readonly handle: number;
  readonly members: number;
  /** Bytes of the definition. */
  readonly definition: number;
  /** Bytes of a value. */
  readonly size: number;
}

/** The attributes 4, 5, 2 and 1 in the answer to a list of them; undefined when one is missing. */
export function templateSizeOf(data: Buffer): TemplateSize | undefined {
  const values = new Map<number, number>();
  let at = 2;
  for (let left = data.length < 2 ? 0 : data.readUInt16LE(0); left > 0; left--) {
    if (data.length - at < 4) return undefined;
    const id = data.readUInt16LE(at);
    const bytes = id === 4 || id === 5 ? 4 : 2;
    if (data.readUInt16LE(at + 2) !== 0 || data.length - at < 4 + bytes) return undefined;
    values.set(id, data.readUIntLE(at + 4, bytes));
    at += 4 + bytes;
  }
  const [handle, members, words, size] = [1, 2, 4, 5].map((id) => values.get(id));
  if (handle === undefined || members === undefined || words === undefined || size === undefined)
    return undefined;
  return { handle, members, definition: 4 * words - 23, size };
}

const memberSize = 8;

/** The structure of a definition: as many entries as there are members, then names. Undefined when it ends too early. */
export function structureOf(
  { handle, members: count, size }: TemplateSize,
  data: Buffer,
): Structure | undefined {
  if (count * memberSize > data.length) return undefined;
  const [title = '', ...names] = data.toString('utf8', count * memberSize).split('\0');
  const members = new Map<string, Member>();
  for (let index = 0; index < count; index++) {
    const at = index * memberSize;
    const info = data.readUInt16LE(at);
    const type = typeWordOf(data.readUInt16LE(at + 2));
    const offset = data.readUInt32LE(at + 4);
    const name = names[index] ?? '';
    const isBit = !type.isStructure && type.code === CipType.BOOL && type.dimensions === 0;
    if (name === '' || offset >= size) continue;
    members.set(name.toLowerCase(), {
      name,
      type,
      count: type.dimensions > 0 ? info : 0,
      offset: isBit ? offset + (info >> 3) : offset,
      bit: isBit ? info & 7 : -1,
    });
  }
  const [name = ''] = title.split(';');
  return { name, handle, size, members, characters: charactersOf(members) };
}

/** Most characters of a structure of a length and characters. */
function charactersOf(members: ReadonlyMap<string, Member>): number {
  const length = members.get('len');
  const data = members.get('data');
  if (members.size !== 2 || length === undefined || data === undefined) return -1;
  const isText =
    length.type.code === CipType.DINT &&
    length.offset === 0 &&
    !data.type.isStructure &&
    data.type.code === CipType.SINT &&
    data.offset === 4;
  return isText ? data.count : -1;
}

/** Whether people are to see a member: the controller adds some of its own, such as the bytes that hold bits. */
export function isVisible({ name, type }: Member): boolean {
  return !type.isSystem && !/^(?:__|ZZZZZZZZZZ)/.test(name) && !name.includes(':');
}
