/** Sizes of elementary types by name, and their codes. */
const elementary: Readonly<Record<string, readonly [code: number, size: number]>> = {
  BOOL: [0xc1, 1],
  SINT: [0xc2, 1],
  INT: [0xc3, 2],
  DINT: [0xc4, 4],
  LINT: [0xc5, 8],
  USINT: [0xc6, 1],
  UINT: [0xc7, 2],
  UDINT: [0xc8, 4],
  ULINT: [0xc9, 8],
  REAL: [0xca, 4],
  LREAL: [0xcb, 8],
  STRING_CIP: [0xd0, 0],
  DWORD: [0xd3, 4],
};

/** A member of a structure of the simulated controller. */
export interface SimMember {
  readonly name: string;
  readonly type: SimType;
  /** Elements; 0 when it is no array. */
  readonly count: number;
  readonly offset: number;
  /** Bit of its byte, for a BOOL; -1 for others. */
  readonly bit: number;
  /** The number that the template gives with it. */
  readonly info: number;
}

/** A type of the simulated controller. */
export interface SimType {
  readonly name: string;
  /** Elementary code; 0 for a structure. */
  readonly code: number;
  readonly size: number;
  readonly template: number;
  readonly handle: number;
  readonly members: readonly SimMember[];
}

let templates = 0x2e8;

export function elementaryType(name: string): SimType {
  const [code, size] = elementary[name] ?? [0, 0];
  return { name, code, size, template: 0, handle: 0, members: [] };
}

/**
 * A structure, laid out as the manual draws it: BOOL in bytes of their own that are hidden, others at multiples of their size up to 4,
 * arrays and structures at multiples of 4, and the size filled up to 4. A member is `name: 'DINT'`, `'INT[12]'`, `'BOOL[64]'` or a structure.
 */
export function structure(
  name: string,
  members: Readonly<Record<string, string | SimType | readonly [SimType, number]>>,
  fixed: { readonly handle?: number; readonly template?: number } = {},
): SimType {
  const list: SimMember[] = [];
  let at = 0;
  let host = -1;
  let bits = 8;
  const align = (to: number): void => void (at = Math.ceil(at / to) * to);
  for (const [member, given] of Object.entries(members)) {
    const [, base = '', countText] =
      typeof given === 'string' ? (/^(\w+)(?:\[(\d+)\])?$/.exec(given) ?? []) : [];
    const isBoolArray = base === 'BOOL' && countText !== undefined;
    const type =
      typeof given === 'string'
        ? elementaryType(isBoolArray ? 'DWORD' : base)
        : Array.isArray(given)
          ? (given[0] as SimType)
          : (given as SimType);
    let count = Array.isArray(given) ? (given[1] as number) : Number(countText ?? 0);
    if (isBoolArray) count = Math.ceil(count / 32);
    if (type.code === 0xc1) {
      if (bits === 8) {
        host = at;
        list.push({
          name: `ZZZZZZZZZZ${name}${list.length}`,
          type: elementaryType('SINT'),
          count: 0,
          offset: at++,
          bit: -1,
          info: 0,
        });
        bits = 0;
      }
      list.push({ name: member, type, count: 0, offset: host, bit: bits, info: bits });
      bits++;
      continue;
    }
    bits = 8;
    align(count > 0 || type.code === 0 ? 4 : Math.min(4, type.size));
    list.push({ name: member, type, count, offset: at, bit: -1, info: count });
    at += type.size * Math.max(1, count);
  }
  align(4);
  const template = fixed.template ?? ++templates;
  return {
    name,
    code: 0,
    size: at,
    template,
    handle: fixed.handle ?? (template * 7919) & 0xffff,
    members: list,
  };
}

export const stringType = structure(
  'STRING',
  { LEN: 'DINT', DATA: 'SINT[82]' },
  { handle: 0x0fce, template: 0xfce },
);

/** A text type of another length. */
export function textType(name: string, characters: number): SimType {
  return structure(name, { LEN: 'DINT', DATA: `SINT[${characters}]` });
}

export const timerType: SimType = {
  name: 'TIMER',
  code: 0,
  size: 12,
  template: 0xf83,
  handle: 0x0f83,
  members: [
    { name: 'CTL', type: elementaryType('DINT'), count: 0, offset: 0, bit: -1, info: 0 },
    { name: 'PRE', type: elementaryType('DINT'), count: 0, offset: 4, bit: -1, info: 0 },
    { name: 'ACC', type: elementaryType('DINT'), count: 0, offset: 8, bit: -1, info: 0 },
    { name: 'EN', type: elementaryType('BOOL'), count: 0, offset: 3, bit: 7, info: 31 },
    { name: 'TT', type: elementaryType('BOOL'), count: 0, offset: 3, bit: 6, info: 30 },
    { name: 'DN', type: elementaryType('BOOL'), count: 0, offset: 3, bit: 5, info: 29 },
  ],
};

/** A tag of the simulated controller. */
export interface SimTag {
  readonly name: string;
  readonly type: SimType;
  readonly dimensions: readonly number[];
  /** Its bytes, which tests seed and look at. */
  readonly value: Buffer;
  /** 0 read and write, 2 read, 3 none. */
  readonly access: number;
  readonly isAlias: boolean;
  instance: number;
}

/** A tag: `tag('Counts', 'DINT[10]')`, `tag('Flags', 'BOOL[64]')`, `tag('Motor', motorType)`, `tag('Motors', motorType, [4])`. */
export function tag(
  name: string,
  given: string | SimType,
  more: {
    readonly dimensions?: readonly number[];
    readonly bytes?: string;
    readonly access?: number;
    readonly isAlias?: boolean;
  } = {},
): SimTag {
  const { access = 0, bytes = '', isAlias = false } = more;
  const [, base = '', sizes] =
    typeof given === 'string' ? (/^(\w+)(?:\[([\d,]+)\])?$/.exec(given) ?? []) : [];
  let dimensions = sizes?.split(',').map(Number) ?? more.dimensions ?? [];
  const isBoolArray = base === 'BOOL' && dimensions.length > 0;
  if (isBoolArray)
    dimensions = dimensions.map((size, at) => (at === dimensions.length - 1 ? Math.ceil(size / 32) : size));
  const type = typeof given === 'string' ? elementaryType(isBoolArray ? 'DWORD' : base) : given;
  const value = Buffer.alloc(dimensions.reduce((product, size) => product * size, type.size));
  Buffer.from(bytes, 'hex').copy(value);
  return { name, type, dimensions, value, access, isAlias, instance: 0 };
}

/** The type word of a tag or member. */
export function typeWord({ code, template }: SimType, dimensions: number): number {
  return (dimensions << 13) | (code === 0 ? 0x8000 | template : code);
}

/** The definition of a template, and its four attributes. */
export function templateOf(type: SimType): {
  readonly definition: Buffer;
  readonly attributes: ReadonlyMap<number, Buffer>;
} {
  const entries = type.members.map(({ count, info, offset, type: member }) => {
    const entry = Buffer.alloc(8);
    entry.writeUInt16LE(info, 0);
    entry.writeUInt16LE(typeWord(member, count > 0 ? 1 : 0), 2);
    entry.writeUInt32LE(offset, 4);
    return entry;
  });
  const names = Buffer.from(
    `${type.name};n${type.name}EBCDEFGH\0${type.members.map(({ name }) => `${name}\0`).join('')}`,
  );
  const content = Buffer.concat([...entries, names]);
  // The size in words counts 23 bytes that are not sent.
  const words = Math.ceil((content.length + 23) / 4);
  const number = (value: number, bytes: number): Buffer => {
    const data = Buffer.alloc(bytes);
    data.writeUIntLE(value, 0, bytes);
    return data;
  };
  return {
    definition: Buffer.concat([content, Buffer.alloc(words * 4 - 23 - content.length)]),
    attributes: new Map([
      [1, number(type.handle, 2)],
      [2, number(type.members.length, 2)],
      [4, number(words, 4)],
      [5, number(type.size, 4)],
    ]),
  };
}
