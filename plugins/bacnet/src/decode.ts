import { DataType, isFault, isInIntegerRange, type Fault, type Values } from '@tagway/sdk';
import { Tag, type TagCursor } from './encoding.ts';
import { constructed, isList, mismatch, nothing, outOfRange, undecodable } from './faults.ts';
import { areaNames, instanceOf, typeOf } from './properties.ts';

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
  if (!cursor.next() || (cursor.isOpening && !cursor.skip())) {
    into.fault(index, undecodable);
    return false;
  }
  if (cursor.isContext) into.fault(index, constructed);
  else if (cursor.isNextClosing(enclosing)) put(valueOf(cursor, type), index, into);
  else into.fault(index, isList);
  return closeAfter(cursor, enclosing);
}

function closeAfter(cursor: TagCursor, enclosing: number): boolean {
  while (!cursor.isNextClosing(enclosing)) {
    if (!cursor.next()) return false;
    if (cursor.isOpening && !cursor.skip()) return false;
  }
  return cursor.next();
}

type Decoded = number | bigint | string | Buffer | Fault;

function put(value: Decoded, index: number, into: Values): void {
  if (typeof value === 'number') into.number(index, value);
  else if (typeof value === 'bigint') into.integer(index, value);
  else if (typeof value === 'string') into.text(index, value);
  else if (isFault(value)) into.fault(index, value);
  else into.bytes(index, value);
}

/** The application-tagged value that was read last, as a tag of `type` has it, or the fault of one that does not fit. */
function valueOf(cursor: TagCursor, type: DataType): Decoded {
  const { data, number, start, length } = cursor;
  if (number === Tag.NULL) return nothing;
  if (type === DataType.STRING) return textOf(cursor) ?? undecodable;
  if (type === DataType.BYTES)
    return number === Tag.OCTETS ? data.subarray(start, start + length) : mismatch(number, type);
  switch (number) {
    case Tag.BOOLEAN:
      return whole(length, type);
    case Tag.UNSIGNED:
    case Tag.ENUMERATED:
    case Tag.SIGNED:
      return whole(integerOf(cursor), type);
    case Tag.REAL:
      if (length !== 4) return undecodable;
      return isReal(type) ? data.readFloatBE(start) : mismatch(number, type);
    case Tag.DOUBLE:
      if (length !== 8) return undecodable;
      return isReal(type) ? data.readDoubleBE(start) : mismatch(number, type);
    case Tag.BITS:
      return bits(cursor, type);
    default:
      return mismatch(number, type);
  }
}

function isReal(type: DataType): boolean {
  return type === DataType.FLOAT || type === DataType.DOUBLE;
}

function whole(value: number | bigint | undefined, type: DataType): Decoded {
  if (value === undefined) return undecodable;
  if (type === DataType.INT64 || type === DataType.UINT64)
    return isInIntegerRange(type, value) ? BigInt(value) : outOfRange;
  const number = Number(value);
  if (isReal(type)) return number;
  const isTruth = type === DataType.BIT || type === DataType.BOOL;
  const fits = isTruth ? number === 0 || number === 1 : isInIntegerRange(type, number);
  return fits ? number : outOfRange;
}

/** The whole number that was read last; a bigint when it has more than six bytes, undefined when it has none. */
function integerOf({ number, data, start, length }: TagCursor): number | bigint | undefined {
  const isSigned = number === Tag.SIGNED;
  if (length < 1) return undefined;
  if (length <= 6) return isSigned ? data.readIntBE(start, length) : data.readUIntBE(start, length);
  const bits = BigInt(`0x${data.toString('hex', start, start + length)}`);
  return isSigned ? BigInt.asIntN(length * 8, bits) : bits;
}

/** The first bit of a bit string becomes the lowest bit of the number. */
function bits({ data, start, length }: TagCursor, type: DataType): Decoded {
  const count = bitCount(data, start, length);
  if (count < 0) return undecodable;
  if (count > 32) return mismatch(Tag.BITS, type);
  let value = 0;
  for (let bit = 0; bit < count; bit++) if (bitAt(data, start, bit)) value += 2 ** bit;
  return whole(value, type);
}

/** Bits of a bit string, whose first byte says how many of the last byte are unused. -1: it is no bit string. */
export function bitCount(data: Buffer, start: number, length: number): number {
  const unused = length > 0 ? data[start]! : 8;
  return unused > 7 || (length === 1 && unused > 0) ? -1 : (length - 1) * 8 - unused;
}

export function bitAt(data: Buffer, start: number, bit: number): boolean {
  return ((data[start + 1 + (bit >> 3)]! >> (7 - (bit & 7))) & 1) === 1;
}

const latin1 = new TextDecoder('latin1');

/** A value as text: characters as they are, everything else as people write it. Undefined: it cannot be shown. */
export function textOf(cursor: TagCursor): string | undefined {
  const { number, data, start, length } = cursor;
  switch (number) {
    case Tag.TEXT:
      return characters(data.subarray(start, start + length));
    case Tag.BOOLEAN:
      return length === 0 ? 'false' : 'true';
    case Tag.UNSIGNED:
    case Tag.ENUMERATED:
      return length <= 8 ? integerOf(cursor)?.toString() : undefined;
    case Tag.SIGNED:
      return length <= 6 ? integerOf(cursor)?.toString() : undefined;
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

/** Year less 1900, month, day, day of the week; 255: any. Undefined for a date that no calendar has. */
function dateText(data: Buffer, at: number): string | undefined {
  const years = data[at]!;
  const month = data[at + 1]!;
  const day = data[at + 2]!;
  if (!isDate(years, month, day)) return undefined;
  const year = years === unset ? '****' : String(1900 + years);
  return `${year}-${partText(month)}-${partText(day)}`;
}

/** Months 13 and 14 are the odd and the even ones; day 32 is the last of a month, 33 and 34 are the odd and the even ones (20.2.12). */
function isDate(years: number, month: number, day: number): boolean {
  if (month !== unset && (month < 1 || month > 14)) return false;
  if (day === unset || (day > 31 && day <= 34)) return true;
  const isOneMonth = month <= 12;
  // A year that may be any is taken for a leap year.
  const date = Date.UTC(years === unset ? 2000 : 1900 + years, isOneMonth ? month - 1 : 0, day);
  return day >= 1 && day <= 31 && new Date(date).getUTCDate() === day;
}

/** Hour, minute, second, hundredths; 255: any. Undefined for a time that no clock shows. */
function timeText(data: Buffer, at: number): string | undefined {
  const parts = [...data.subarray(at, at + 4)];
  if (parts.some((part, index) => part !== unset && part > mostOfTime[index]!)) return undefined;
  return `${parts.slice(0, 3).map(partText).join(':')}.${partText(parts[3]!)}`;
}

const mostOfTime = [23, 59, 59, 99] as const;

function partText(part: number): string {
  return part === unset ? '**' : String(part).padStart(2, '0');
}

/** An object as in an address, or by the numbers of its type and instance. */
export function objectText(object: number): string {
  const type = typeOf(object);
  return `${areaNames.get(type) ?? `${type}:`}${instanceOf(object)}`;
}
