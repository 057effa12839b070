import { Attribute, DataType, ErrorCode, Fault, isFault, numberSize, type TagDraft } from '@tagway/sdk';

/** Memory areas by their codes in requests (as in the S7 dissector of Wireshark). */
export const Area = {
  INPUT: 0x81,
  OUTPUT: 0x82,
  FLAG: 0x83,
  DATA_BLOCK: 0x84,
  COUNTER: 0x1c,
  TIMER: 0x1d,
} as const;
export type Area = (typeof Area)[keyof typeof Area];

/** How the bytes of a value are to be understood: the data type, or what takes its place. */
export const Kind = {
  BIT: DataType.BIT,
  INT8: DataType.INT8,
  UINT8: DataType.UINT8,
  INT16: DataType.INT16,
  UINT16: DataType.UINT16,
  INT32: DataType.INT32,
  UINT32: DataType.UINT32,
  FLOAT: DataType.FLOAT,
  DOUBLE: DataType.DOUBLE,
  /** STRING of the PLC: two bytes, the declared and the current length, then one byte a character. */
  TEXT: DataType.STRING,
  BYTES: DataType.BYTES,
  /** WSTRING of the PLC: two words, then UTF-16. */
  WIDE_TEXT: 32,
  /** S5TIME as milliseconds. */
  TIMER: 33,
  /** S5TIME as seconds. */
  TIMER_SECONDS: 34,
  /** Three decimal digits. */
  COUNTER: 35,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** A checked address `AREA ADDRESS[.BIT][.LEN][D]`. */
export interface Address {
  readonly area: Area;
  /** Number of the data block; 0 elsewhere. */
  readonly db: number;
  /** Byte, or the number of the timer or counter. */
  readonly start: number;
  /** Bytes, or 1 for a timer or counter. */
  readonly size: number;
  readonly kind: Kind;
  readonly bit: number;
  /** Characters of a text, bytes of BYTES. */
  readonly length: number;
}

/** Bytes of each place of an area. */
export function placeSize(area: Area): 1 | 2 {
  return area === Area.TIMER || area === Area.COUNTER ? 2 : 1;
}

const most = 65_536;
const mostText = 254;
const mostWideText = 16_382;
const mostBytes = 999;

const areas: Readonly<Record<string, Area>> = {
  I: Area.INPUT,
  O: Area.OUTPUT,
  Q: Area.OUTPUT,
  F: Area.FLAG,
  M: Area.FLAG,
  T: Area.TIMER,
  C: Area.COUNTER,
};

const pattern = /^(?:([IOQFMTC])(\d{1,5})|DB(\d{1,5})\.DBW(\d{1,5}))(?:\.(\d{1,5}))?(D)?$/;

const areasText =
  'The areas are inputs I, outputs O or Q, flags F or M, timers T, counters C and data blocks (V of a S7-200 is data block 1), ' +
  'with a number and perhaps a bit or a length behind it, such as M10, M10.3, DB1.DBW10 or DB1.DBW10.20; the size of a number comes from the type of the tag';

/** Parses an address for a value of `type`; a fault with TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID says what is wrong. */
export function parseAddress(text: string, type: DataType): Address | Fault {
  if (type === DataType.INT64 || type === DataType.UINT64)
    return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, 'Siemens S7 tags cannot be of type INT64 or UINT64.');
  const parts = pattern.exec(text);
  if (parts === null) return invalid(text, areasText);
  const [, letter, place, block, offset, suffix, wide] = parts;
  const area = letter === undefined ? Area.DATA_BLOCK : (areas[letter] as Area);
  const db = Number(block ?? 0);
  const start = Number(place ?? offset);
  if (db >= most) return invalid(text, 'The number of the data block is above 65535');
  if (start >= most) return invalid(text, 'The number after the area is above 65535');
  const number = suffix === undefined ? undefined : Number(suffix);
  if (wide !== undefined && type !== DataType.STRING)
    return invalid(text, 'Only a STRING has the letter D after its length');
  const form = { area, db, start, bit: 0, length: 0 };
  const address =
    area === Area.TIMER || area === Area.COUNTER
      ? timerOrCounter(text, form, type, number)
      : valueOf(text, form, type, number, wide !== undefined);
  if (!isFault(address) && start + address.size > most) return invalid(text, 'It reaches beyond byte 65535');
  return address;
}

type Form = Omit<Address, 'kind' | 'size'>;

function timerOrCounter(
  text: string,
  form: Form,
  type: DataType,
  suffix: number | undefined,
): Address | Fault {
  const timer = form.area === Area.TIMER;
  const types: readonly DataType[] = timer
    ? [DataType.INT32, DataType.UINT32, DataType.FLOAT]
    : [DataType.INT16, DataType.UINT16];
  if (!types.includes(type))
    return unsupported(
      text,
      timer ? 'a timer and holds INT32, UINT32 or FLOAT' : 'a counter and holds INT16 or UINT16',
    );
  if (suffix !== undefined) return invalid(text, 'A timer or a counter has neither a bit nor a length');
  const kind = !timer ? Kind.COUNTER : type === DataType.FLOAT ? Kind.TIMER_SECONDS : Kind.TIMER;
  return { ...form, kind, size: 1 };
}

function valueOf(
  text: string,
  form: Form,
  type: DataType,
  suffix: number | undefined,
  wide: boolean,
): Address | Fault {
  if (type === DataType.BIT || type === DataType.BOOL) {
    if (suffix === undefined || suffix > 7) return invalid(text, 'A bit needs its number, from .0 to .7');
    return { ...form, kind: Kind.BIT, bit: suffix, size: 1 };
  }
  const width = numberSize(type);
  if (form.area !== Area.DATA_BLOCK && (width ?? 8) > 4)
    return unsupported(text, 'no data block, and only data blocks hold DOUBLE, STRING and BYTES');
  if (width !== undefined) {
    if (suffix !== undefined) return invalid(text, 'A number has neither a bit nor a length');
    return { ...form, kind: type as Kind, size: width };
  }
  const length = suffix ?? 0;
  if (type === DataType.BYTES) {
    if (length < 1 || length > mostBytes)
      return invalid(text, `BYTES need a length from .1 to .${mostBytes}`);
    return { ...form, kind: Kind.BYTES, length, size: length };
  }
  const longest = wide ? mostWideText : mostText;
  if (length < 1 || length > longest)
    return invalid(
      text,
      `A STRING needs its length in characters, from .1 to .${mostText}, or to .${mostWideText}D`,
    );
  return wide
    ? { ...form, kind: Kind.WIDE_TEXT, length, size: 4 + 2 * length }
    : { ...form, kind: Kind.TEXT, length, size: 2 + length };
}

/** The static check of a tag: see `DriverDefinition.checkTag`. */
export function checkTag({ name, address: text, type, attribute }: TagDraft): Fault | undefined {
  const address = parseAddress(text, type);
  if (isFault(address)) return address;
  if ((attribute & Attribute.WRITE) === 0 || address.area !== Area.INPUT) return undefined;
  return new Fault(
    ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
    `The tag "${name}" cannot be written: inputs of a PLC are read-only.`,
  );
}

function unsupported(text: string, what: string): Fault {
  return new Fault(ErrorCode.TAG_TYPE_UNSUPPORTED, `The address "${text}" is ${what}.`);
}

function invalid(text: string, why: string): Fault {
  return new Fault(ErrorCode.TAG_ADDRESS_INVALID, `The address "${text}" is invalid. ${why}.`);
}
