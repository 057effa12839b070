/** A variable of the simulated program. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  /** ADST number. */
  readonly dataType: number;
  /** Its bytes, which tests seed and look at. */
  readonly value: Buffer;
  readonly comment?: string;
}

/** A type of the simulated program, or a member of one. */
export interface SimType {
  readonly name: string;
  readonly type?: string;
  readonly comment?: string;
  readonly size: number;
  /** Of a member. */
  readonly offset?: number;
  readonly dataType: number;
  readonly dimensions?: readonly (readonly [first: number, count: number])[];
  readonly members?: readonly SimType[];
}

/** ADST numbers by the names of types of the PLC languages. */
const kinds: Readonly<Record<string, readonly [dataType: number, size: number]>> = {
  BOOL: [33, 1],
  SINT: [16, 1],
  USINT: [17, 1],
  INT: [2, 2],
  UINT: [18, 2],
  DINT: [3, 4],
  UDINT: [19, 4],
  LINT: [20, 8],
  ULINT: [21, 8],
  REAL: [4, 4],
  LREAL: [5, 8],
};

/** A variable of an elementary type, STRING(n) and WSTRING(n) included, with its bytes. */
export function variable(name: string, type: string, bytes: string, comment = ''): Variable {
  const text = /^(W?)STRING\((\d+)\)$/.exec(type);
  const [dataType, size] =
    text === null
      ? (kinds[type] ?? [65, bytes.length / 2])
      : text[1] === 'W'
        ? [31, 2 * (Number(text[2]) + 1)]
        : [30, Number(text[2]) + 1];
  const value = Buffer.alloc(size);
  Buffer.from(bytes, 'hex').copy(value);
  return { name, type, dataType, value, comment };
}

export function member(name: string, type: string, offset: number): SimType {
  const [dataType, size] = kinds[type] ?? [65, 0];
  return { name, type, offset, dataType, size };
}

/** AdsSymbolEntry. */
export function symbolEntry({ name, type, comment = '', dataType, value }: Variable): Buffer {
  const texts = Buffer.from(`${name}\0${type}\0${comment}\0`, 'latin1');
  const head = Buffer.alloc(30);
  head.writeUInt32LE(head.length + texts.length, 0);
  head.writeUInt32LE(0x4040, 4);
  head.writeUInt32LE(value.length, 12);
  head.writeUInt32LE(dataType, 16);
  for (const [index, text] of [name, type, comment].entries())
    head.writeUInt16LE(text.length, 24 + 2 * index);
  return Buffer.concat([head, texts]);
}

/** AdsDatatypeEntry. */
export function typeEntry(entry: SimType): Buffer {
  const { name, type = '', comment = '', size, offset = 0, dataType, dimensions = [], members = [] } = entry;
  const texts = Buffer.from(`${name}\0${type}\0${comment}\0`, 'latin1');
  const arrays = Buffer.alloc(8 * dimensions.length);
  for (const [index, [first, count]] of dimensions.entries()) {
    arrays.writeInt32LE(first, 8 * index);
    arrays.writeUInt32LE(count, 8 * index + 4);
  }
  const body = Buffer.concat([texts, arrays, ...members.map(typeEntry)]);
  const head = Buffer.alloc(42);
  head.writeUInt32LE(head.length + body.length, 0);
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(size, 16);
  head.writeUInt32LE(offset, 20);
  head.writeUInt32LE(dataType, 24);
  head.writeUInt32LE(1, 28);
  for (const [index, text] of [name, type, comment].entries())
    head.writeUInt16LE(text.length, 32 + 2 * index);
  head.writeUInt16LE(dimensions.length, 38);
  head.writeUInt16LE(members.length, 40);
  return Buffer.concat([head, body]);
}
