import { DataType, dataTypeName, type Fault } from '@tagway/sdk';
import { typeMismatch } from './faults.ts';

/** Codes of elementary types. */
export const CipType = {
  BOOL: 0xc1,
  SINT: 0xc2,
  INT: 0xc3,
  DINT: 0xc4,
  LINT: 0xc5,
  USINT: 0xc6,
  UINT: 0xc7,
  UDINT: 0xc8,
  ULINT: 0xc9,
  REAL: 0xca,
  LREAL: 0xcb,
  STRING: 0xd0,
  BYTE: 0xd1,
  WORD: 0xd2,
  DWORD: 0xd3,
  LWORD: 0xd4,
  SHORT_STRING: 0xda,
  TIME: 0xdb,
} as const;

/** What precedes the handle of a structure in place of a code. */
export const structureMark = 0x02a0;

interface Elementary {
  readonly name: string;
  /** Bytes; 0 for texts, whose length varies. */
  readonly size: number;
  readonly isFloat?: boolean;
  /** Type of a tag for it; 0 for what is read as BYTES alone. */
  readonly tag: DataType | 0;
}

const elementary = new Map<number, Elementary>([
  [0x01, { name: 'BOOL', size: 1, tag: DataType.BOOL }],
  [0x04, { name: 'UINT BCD', size: 2, tag: DataType.UINT16 }],
  [0x05, { name: 'UDINT BCD', size: 4, tag: DataType.UINT32 }],
  [0x06, { name: 'ULINT BCD', size: 8, tag: DataType.UINT64 }],
  [0x07, { name: 'ENUM', size: 4, tag: DataType.INT32 }],
  [0x08, { name: 'DATE', size: 8, tag: DataType.INT64 }],
  [0x09, { name: 'TIME', size: 8, tag: DataType.INT64 }],
  [0x0a, { name: 'DATE_AND_TIME', size: 8, tag: DataType.INT64 }],
  [0x0b, { name: 'TIME_OF_DAY', size: 8, tag: DataType.INT64 }],
  [CipType.BOOL, { name: 'BOOL', size: 1, tag: DataType.BOOL }],
  [CipType.SINT, { name: 'SINT', size: 1, tag: DataType.INT8 }],
  [CipType.INT, { name: 'INT', size: 2, tag: DataType.INT16 }],
  [CipType.DINT, { name: 'DINT', size: 4, tag: DataType.INT32 }],
  [CipType.LINT, { name: 'LINT', size: 8, tag: DataType.INT64 }],
  [CipType.USINT, { name: 'USINT', size: 1, tag: DataType.UINT8 }],
  [CipType.UINT, { name: 'UINT', size: 2, tag: DataType.UINT16 }],
  [CipType.UDINT, { name: 'UDINT', size: 4, tag: DataType.UINT32 }],
  [CipType.ULINT, { name: 'ULINT', size: 8, tag: DataType.UINT64 }],
  [CipType.REAL, { name: 'REAL', size: 4, isFloat: true, tag: DataType.FLOAT }],
  [CipType.LREAL, { name: 'LREAL', size: 8, isFloat: true, tag: DataType.DOUBLE }],
  [CipType.STRING, { name: 'STRING', size: 0, tag: DataType.STRING }],
  [CipType.BYTE, { name: 'BYTE', size: 1, tag: DataType.UINT8 }],
  [CipType.WORD, { name: 'WORD', size: 2, tag: DataType.UINT16 }],
  [CipType.DWORD, { name: 'DWORD', size: 4, tag: DataType.UINT32 }],
  [CipType.LWORD, { name: 'LWORD', size: 8, tag: DataType.UINT64 }],
  [CipType.SHORT_STRING, { name: 'SHORT_STRING', size: 0, tag: DataType.STRING }],
  [CipType.TIME, { name: 'TIME', size: 4, tag: DataType.INT32 }],
]);

/** What a variable is, as far as the controller has said. */
export interface Variable {
  /** Code of an elementary type; 0 for a structure. */
  readonly code: number;
  /** Bytes of one value; 0 when the code says nothing of it. */
  readonly size: number;
  /** Name of the type, for people. */
  readonly name: string;
  /** Most characters of a structure that is a text; -1 for others. */
  readonly characters: number;
}

/** A variable of an elementary type. */
export function elementaryOf(code: number, bytes = 0): Variable {
  const { name, size } = elementary.get(code) ?? {
    name: `type 0x${code.toString(16).toUpperCase()}`,
    size: 0,
  };
  // A TIME of NJ and NX has eight bytes.
  return { code, name, size: code === CipType.TIME && bytes === 8 ? 8 : size, characters: -1 };
}

/** How the bytes of a value become one. */
export type Kind = (typeof Kind)[keyof typeof Kind];
export const Kind = {
  INT8: 1,
  UINT8: 2,
  INT16: 3,
  UINT16: 4,
  INT32: 5,
  UINT32: 6,
  INT64: 7,
  UINT64: 8,
  FLOAT: 9,
  DOUBLE: 10,
  /** One bit of a byte. */
  BIT: 11,
  /** True when it is not zero. */
  BOOL: 12,
  /** A length of two bytes and characters. */
  TEXT: 13,
  BYTES: 14,
  /** A length of one byte and characters. */
  SHORT_TEXT: 15,
  /** A structure of a length of four bytes and characters. */
  STRUCTURE_TEXT: 16,
} as const;

/** How a tag of `type` reads the variable that `text` names, or the fault of a type that does not fit. `bit`: -1, or that of an integer. */
export function kindOf(type: DataType, variable: Variable, bit: number, text: string): Kind | Fault {
  const { code, size, characters } = variable;
  const found = elementary.get(code);
  const mismatch = (wanted: string): Fault =>
    typeMismatch(text, variable.name, `a tag of type ${dataTypeName(type)} needs ${wanted}`);
  if (bit >= 0) {
    const isInteger =
      found !== undefined && size > 0 && found.isFloat !== true && found.tag !== DataType.BOOL;
    if (!isInteger) return mismatch('a bit of an integer, or a BOOL without the number of a bit');
    return bit < 8 * size ? Kind.BIT : mismatch(`a bit from 0 to ${8 * size - 1}`);
  }
  if (type === DataType.BYTES)
    return found?.tag === DataType.BOOL ? mismatch('a variable that has bytes') : Kind.BYTES;
  if (type === DataType.STRING) {
    if (characters >= 0) return Kind.STRUCTURE_TEXT;
    if (code === CipType.STRING) return Kind.TEXT;
    return code === CipType.SHORT_STRING ? Kind.SHORT_TEXT : mismatch('a text');
  }
  if (type === DataType.BOOL || type === DataType.BIT)
    return found?.tag === DataType.BOOL
      ? Kind.BOOL
      : mismatch('a BOOL, or a bit of an integer such as Tag.5');
  const wantsFloat = type === DataType.FLOAT || type === DataType.DOUBLE;
  const width = widths[type] ?? 0;
  const fits = found !== undefined && found.tag !== DataType.BOOL && size === width;
  if (!fits || (found.isFloat === true) !== wantsFloat)
    return mismatch(`${wantsFloat ? 'a floating-point number' : 'an integer'} of ${width} bytes`);
  return type;
}

const widths: Readonly<Partial<Record<DataType, number>>> = {
  [DataType.INT8]: 1,
  [DataType.UINT8]: 1,
  [DataType.INT16]: 2,
  [DataType.UINT16]: 2,
  [DataType.INT32]: 4,
  [DataType.UINT32]: 4,
  [DataType.INT64]: 8,
  [DataType.UINT64]: 8,
  [DataType.FLOAT]: 4,
  [DataType.DOUBLE]: 8,
};

/** Bytes of a number of a tag; undefined for other types. */
export function widthOf(type: DataType): number | undefined {
  return widths[type];
}

/** The type of a tag that reads such a variable. */
export function tagTypeOf({ code, characters }: Variable): DataType {
  if (characters >= 0) return DataType.STRING;
  return elementary.get(code)?.tag || DataType.BYTES;
}
