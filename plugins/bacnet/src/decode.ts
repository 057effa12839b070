import { DataType, type Fault, type Values } from '@tagway/sdk';
import { Tag, type TagCursor } from './encoding.ts';
import { constructed, isList, mismatch, nothing, outOfRange, undecodable } from './faults.ts';
import { areaNames, instanceOf, typeOf } from './properties.ts';

/** Limits of the integer types that fit into 32 bits. */
const narrow: Readonly<Partial<Record<DataType, readonly [lowest: number, highest: number]>>> = {
  [DataType.INT8]: [-0x80, 0x7f],
  [DataType.UINT8]: [0, 0xff],
  [DataType.INT16]: [-0x8000, 0x7fff],
  [DataType.UINT16]: [0, 0xffff],
  [DataType.INT32]: [-0x8000_0000, 0x7fff_ffff],
  [DataType.UINT32]: [0, 0xffff_ffff],
};

/**
 * Gives a point the value that `cursor` is at, inside the opening tag `enclosing`, and moves behind its closing tag. Returns false when the
 * bytes make no sense; the point then has a fault all the same.
 */
export function decodeEnclosed(
  cursor: TagCursor,
  enclosing: number,
  type: DataType,
  index: number,
  into: Values,
): boolean {
  if (cursor.isNextClosing(enclosing)) {
    into.fault(index, nothing);
    return cursor.next();
  }
  if (!cursor.next()) return failed(index, into);
  if (cursor.isOpening) {
    if (!cursor.skip()) return failed(index, into);
    into.fault(index, constructed);
    return closeAfter(cursor, enclosing);
  }
  if (cursor.isContext) {
    into.fault(index, constructed);
    return closeAfter(cursor, enclosing);
  }
  if (cursor.isNextClosing(enclosing)) {
    const fault = decodeValue(cursor, type, index, into);
    if (fault !== undefined) into.fault(index, fault);
    return cursor.next();
  }
  into.fault(index, isList);
  return closeAfter(cursor, enclosing);
}

function failed(index: number, into: Values): false {
  into.fault(index, undecodable);
  return false;
}

function closeAfter(cursor: TagCursor, enclosing: number): boolean {
  while (!cursor.isNextClosing(enclosing)) {
    if (!cursor.next()) return false;
    if (cursor.isOpening && !cursor.skip()) return false;
  }
  return cursor.next();
}

/** Gives a point the application-tagged value that was read last, or returns why it cannot. */
export function decodeValue(
  cursor: TagCursor,
  type: DataType,
  index: number,
  into: Values,
): Fault | undefined {
  if (cursor.number === Tag.NULL) return nothing;
  if (type === DataType.STRING) return decodeText(cursor, index, into);
  if (type === DataType.BYTES) return decodeBytes(cursor, index, into);
  const { data, start, length } = cursor;
  switch (cursor.number) {
    case Tag.BOOLEAN:
      return whole(length, type, index, into);
    case Tag.UNSIGNED:
    case Tag.ENUMERATED:
      if (length < 1) return undecodable;
      if (length <= 6) return whole(data.readUIntBE(start, length), type, index, into);
      return long(BigInt(`0x${data.toString('hex', start, start + length)}`), type, index, into);
    case Tag.SIGNED:
      if (length < 1) return undecodable;
      if (length <= 6) return whole(data.readIntBE(start, length), type, index, into);
      return long(
        BigInt.asIntN(length * 8, BigInt(`0x${data.toString('hex', start, start + length)}`)),
        type,
        index,
        into,
      );
    case Tag.REAL:
      return length === 4 ? real(data.readFloatBE(start), type, index, into) : undecodable;
    case Tag.DOUBLE:
      return length === 8 ? real(data.readDoubleBE(start), type, index, into) : undecodable;
    case Tag.BITS:
      return bits(cursor, type, index, into);
    default:
      return mismatch;
  }
}

function real(value: number, type: DataType, index: number, into: Values): Fault | undefined {
  if (type !== DataType.FLOAT && type !== DataType.DOUBLE) return mismatch;
  into.number(index, value);
  return undefined;
}

function whole(value: number, type: DataType, index: number, into: Values): Fault | undefined {
  const range = narrow[type];
  if (range !== undefined) {
    if (value < range[0] || value > range[1]) return outOfRange;
    into.number(index, value);
  } else if (type === DataType.INT64 || type === DataType.UINT64) {
    if (type === DataType.UINT64 && value < 0) return outOfRange;
    into.integer(index, BigInt(value));
  } else if (type === DataType.BIT || type === DataType.BOOL) {
    if (value !== 0 && value !== 1) return outOfRange;
    into.number(index, value);
  } else into.number(index, value);
  return undefined;
}

/** A whole number of more than six bytes. */
function long(value: bigint, type: DataType, index: number, into: Values): Fault | undefined {
  if (type === DataType.FLOAT || type === DataType.DOUBLE) {
    into.number(index, Number(value));
    return undefined;
  }
  if (type !== DataType.INT64 && type !== DataType.UINT64)
    return Number.isSafeInteger(Number(value)) ? whole(Number(value), type, index, into) : outOfRange;
  const fits = type === DataType.INT64 ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  if (fits !== value) return outOfRange;
  into.integer(index, value);
  return undefined;
}

/** The first bit of a bit string becomes the lowest bit of the number. */
function bits(
  { data, start, length }: TagCursor,
  type: DataType,
  index: number,
  into: Values,
): Fault | undefined {
  const count = bitCount(data, start, length);
  if (count < 0) return undecodable;
  if (count > 32) return mismatch;
  let value = 0;
  for (let bit = 0; bit < count; bit++) if (bitAt(data, start, bit)) value += 2 ** bit;
  return whole(value, type, index, into);
}

/** Bits of a bit string, whose first byte says how many of the last byte are unused. -1: it is none. */
export function bitCount(data: Buffer, start: number, length: number): number {
  const unused = length > 0 ? (data[start] as number) : 8;
  return unused > 7 || (length === 1 && unused > 0) ? -1 : (length - 1) * 8 - unused;
}

export function bitAt(data: Buffer, start: number, bit: number): boolean {
  return (((data[start + 1 + (bit >> 3)] as number) >> (7 - (bit & 7))) & 1) === 1;
}

function decodeBytes(
  { number, data, start, length }: TagCursor,
  index: number,
  into: Values,
): Fault | undefined {
  if (number !== Tag.OCTETS) return mismatch;
  into.bytes(index, data.subarray(start, start + length));
  return undefined;
}

function decodeText(cursor: TagCursor, index: number, into: Values): Fault | undefined {
  const text = textOf(cursor);
  if (text === undefined) return undecodable;
  into.text(index, text);
  return undefined;
}

const latin1 = new TextDecoder('latin1');

/** A value as text: characters as they are, everything else as people write it. Undefined: it is no value. */
export function textOf(cursor: TagCursor): string | undefined {
  const { number, data, start, length } = cursor;
  switch (number) {
    case Tag.TEXT:
      return characters(data.subarray(start, start + length));
    case Tag.BOOLEAN:
      return length === 0 ? 'false' : 'true';
    case Tag.UNSIGNED:
    case Tag.ENUMERATED:
      return length > 0 && length <= 8
        ? BigInt(`0x${data.toString('hex', start, start + length)}`).toString()
        : undefined;
    case Tag.SIGNED:
      return length > 0 && length <= 6 ? String(data.readIntBE(start, length)) : undefined;
    case Tag.REAL:
      return length === 4 ? String(data.readFloatBE(start)) : undefined;
    case Tag.DOUBLE:
      return length === 8 ? String(data.readDoubleBE(start)) : undefined;
    case Tag.OCTETS:
      return data.toString('hex', start, start + length);
    case Tag.BITS: {
      const count = bitCount(data, start, length);
      if (count < 0) return undefined;
      return Array.from({ length: count }, (_, bit) => (bitAt(data, start, bit) ? '1' : '0')).join('');
    }
    case Tag.DATE:
      return length === 4 ? dateText(data, start) : undefined;
    case Tag.TIME:
      return length === 4 ? timeText(data, start) : undefined;
    case Tag.OBJECT:
      return length === 4 ? objectText(data.readUInt32BE(start)) : undefined;
    default:
      return undefined;
  }
}

/** Character sets of 20.2.9: 0 UTF-8, 3 UCS-4, 4 UCS-2, 5 ISO 8859-1; older devices mean ISO 8859-1 or ASCII by others. */
function characters(bytes: Buffer): string | undefined {
  const content = bytes.subarray(1);
  switch (bytes[0]) {
    case undefined:
      return undefined;
    case 0:
      return content.toString('utf8');
    case 3: {
      if (content.length % 4 !== 0) return undefined;
      let text = '';
      for (let at = 0; at < content.length; at += 4) {
        const point = content.readUInt32BE(at);
        if (point > 0x10_ffff) return undefined;
        text += String.fromCodePoint(point);
      }
      return text;
    }
    case 4:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined;
    default:
      return latin1.decode(content);
  }
}

const unset = 0xff;

/** Year less 1900, month, day, day of the week; 255: any. */
function dateText(data: Buffer, at: number): string {
  const part = (offset: number, width: number, base = 0): string => {
    const value = data[at + offset] as number;
    return value === unset ? '*'.repeat(width) : String(value + base).padStart(width, '0');
  };
  return `${part(0, 4, 1900)}-${part(1, 2)}-${part(2, 2)}`;
}

/** Hour, minute, second, hundredths; 255: any. */
function timeText(data: Buffer, at: number): string {
  const part = (offset: number): string => {
    const value = data[at + offset] as number;
    return value === unset ? '**' : String(value).padStart(2, '0');
  };
  return `${part(0)}:${part(1)}:${part(2)}.${part(3)}`;
}

/** An object as in an address, or by the numbers of its type and instance. */
export function objectText(object: number): string {
  const type = typeOf(object);
  return `${areaNames.get(type) ?? `${type}:`}${instanceOf(object)}`;
}
