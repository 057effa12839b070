import { DataType, isInIntegerRange, type Fault, type Values } from '@tagway/sdk';
import type { Format } from './address.ts';
import { mismatch, noSuchInstance, noSuchObject, notTruth, outOfRange, undecodable } from './faults.ts';
import type { Syntax } from './names/smi.ts';
import { Tag, type Cursor } from './wire/ber.ts';
import { oidText } from './wire/oid.ts';

/** A point that gets a value. */
export interface Target {
  /** Index of the point in its group. */
  readonly point: number;
  readonly type: DataType;
  readonly syntax: Syntax | undefined;
  readonly format: Format | undefined;
}

/** Numbers inside an Opaque: a tag of two bytes, and the length (net-snmp, draft-perkins-opaque). */
const Inner = { COUNTER64: 0x76, FLOAT: 0x78, DOUBLE: 0x79, INT64: 0x7a, UINT64: 0x7b } as const;

/** Gives a point the value that the cursor has read, or the fault of one that does not fit. */
export function put(value: Cursor, { point, type, syntax, format }: Target, into: Values): void {
  const { data, start, stop, tag } = value;
  const length = stop - start;
  switch (tag) {
    case Tag.NO_SUCH_OBJECT:
      return into.fault(point, noSuchObject);
    case Tag.NO_SUCH_INSTANCE:
    case Tag.END_OF_MIB_VIEW:
      return into.fault(point, noSuchInstance);
  }
  if (type === DataType.STRING) {
    const text = textOf(value, syntax, format);
    return text === undefined ? into.fault(point, undecodable) : into.text(point, text);
  }
  if (type === DataType.BYTES) {
    if (tag === Tag.OCTETS || tag === Tag.OPAQUE || tag === Tag.IP_ADDRESS)
      return into.bytes(point, data.subarray(start, stop));
    return into.fault(point, mismatch(tag, type));
  }
  switch (tag) {
    case Tag.INTEGER:
      if (length < 1 || length > 8) return into.fault(point, undecodable);
      return length <= 4
        ? putNumber(truthOf(data.readIntBE(start, length), type, syntax), type, point, into)
        : putInteger(signed(value, start), type, point, into);
    case Tag.COUNTER32:
    case Tag.GAUGE32:
    case Tag.TIME_TICKS: {
      const number = unsigned32(value);
      return Number.isNaN(number) ? into.fault(point, undecodable) : putNumber(number, type, point, into);
    }
    case Tag.COUNTER64:
      if (length < 1 || length > 9) return into.fault(point, undecodable);
      if (length <= 6 && data[start]! < 0x80)
        return putNumber(data.readUIntBE(start, length), type, point, into);
      return putInteger(unsigned(value, start), type, point, into);
    case Tag.OPAQUE:
      return putOpaque(value, type, point, into);
    default:
      return into.fault(point, mismatch(tag, type));
  }
}

/** TruthValue is 1 for true and 2 for false (RFC 2579). */
function truthOf(number: number, type: DataType, syntax: Syntax | undefined): number {
  const isTruth = type === DataType.BOOL || type === DataType.BIT;
  return isTruth && number === 2 && syntax?.base === 'TruthValue' ? 0 : number;
}

function putNumber(number: number, type: DataType, point: number, into: Values): void {
  switch (type) {
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return into.number(point, number);
    case DataType.BIT:
    case DataType.BOOL:
      return number === 0 || number === 1 ? into.number(point, number) : into.fault(point, notTruth);
    case DataType.INT64:
    case DataType.UINT64:
      return putInteger(BigInt(number), type, point, into);
    default:
      return isInIntegerRange(type, number) ? into.number(point, number) : into.fault(point, outOfRange);
  }
}

/** A number that may have more than 53 bits. A tag of a real type takes the nearest that it can hold. */
function putInteger(number: bigint, type: DataType, point: number, into: Values): void {
  if (type === DataType.INT64 || type === DataType.UINT64) {
    if (isInIntegerRange(type, number)) into.integer(point, number);
    else into.fault(point, outOfRange);
  } else putNumber(Number(number), type, point, into);
}

function putOpaque(value: Cursor, type: DataType, point: number, into: Values): void {
  const number = opaqueNumber(value);
  if (number === undefined) return into.fault(point, mismatch(Tag.OPAQUE, type));
  if (typeof number === 'bigint') return putInteger(number, type, point, into);
  const isReal = type === DataType.FLOAT || type === DataType.DOUBLE;
  return isReal ? into.number(point, number) : into.fault(point, mismatch(Tag.OPAQUE, type));
}

/** The number inside an Opaque; undefined when it holds something else. Real numbers are numbers, whole ones are bigint. */
function opaqueNumber({ data, start, stop }: Cursor): number | bigint | undefined {
  const length = data[start + 2];
  if (stop - start < 4 || data[start] !== 0x9f || length !== stop - start - 3) return undefined;
  const at = start + 3;
  switch (data[start + 1]) {
    case Inner.FLOAT:
      return length === 4 ? data.readFloatBE(at) : undefined;
    case Inner.DOUBLE:
      return length === 8 ? data.readDoubleBE(at) : undefined;
    case Inner.COUNTER64:
    case Inner.UINT64:
      return length > 9 ? undefined : bigint(data, at, stop);
    case Inner.INT64:
      return length > 8 ? undefined : BigInt.asIntN(length * 8, bigint(data, at, stop));
    default:
      return undefined;
  }
}

/** A Counter32, Gauge32 or TimeTicks. Some agents leave out the zero before a first byte above 127. */
function unsigned32({ data, start, stop }: Cursor): number {
  const length = stop - start;
  if (length >= 1 && length <= 4) return data.readUIntBE(start, length);
  return length === 5 && data[start] === 0 ? data.readUInt32BE(start + 1) : NaN;
}

function unsigned({ data, stop }: Cursor, start: number): bigint {
  return BigInt.asUintN(64, bigint(data, start, stop));
}

function signed({ data, stop }: Cursor, start: number): bigint {
  return BigInt.asIntN((stop - start) * 8, bigint(data, start, stop));
}

function bigint(data: Buffer, start: number, stop: number): bigint {
  return start === stop ? 0n : BigInt(`0x${data.toString('hex', start, stop)}`);
}

/** A value as people read it; undefined when it is damaged. */
export function textOf(value: Cursor, syntax?: Syntax, format?: Format): string | undefined {
  const { data, start, stop, tag } = value;
  const length = stop - start;
  switch (tag) {
    case Tag.INTEGER: {
      if (length < 1 || length > 8) return undefined;
      const number = length <= 4 ? data.readIntBE(start, length) : signed(value, start);
      return syntax?.labels?.get(Number(number)) ?? String(number);
    }
    case Tag.COUNTER32:
    case Tag.GAUGE32:
    case Tag.TIME_TICKS: {
      const number = unsigned32(value);
      return Number.isNaN(number) ? undefined : String(number);
    }
    case Tag.COUNTER64:
      return length < 1 || length > 9 ? undefined : String(unsigned(value, start));
    case Tag.OID:
      return oidText(data, start, stop);
    case Tag.IP_ADDRESS:
      return length === 4 ? data.subarray(start, stop).join('.') : undefined;
    case Tag.OCTETS:
      return bytesText(value.content, syntax, format);
    case Tag.OPAQUE:
      return opaqueNumber(value)?.toString() ?? hexOf(value.content);
    case Tag.NULL:
      return '';
    default:
      return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin1 = new TextDecoder('latin1');
/** Control characters other than tabs and line ends. */
const unprintable = /(?![\t\n\r])\p{Cc}/u;

/** Bytes as text where they are text or the address or the MIB says so, otherwise in hexadecimal digits: `00:1a:2b`. */
function bytesText(bytes: Buffer, syntax: Syntax | undefined, format: Format | undefined): string {
  const base = format ?? syntax?.base;
  if (base === 'hex' || base === 'BITS') return hexOf(bytes);
  if (base === 'DateAndTime') return dateText(bytes) ?? hexOf(bytes);
  // Agents fill fixed fields with zeros.
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const content = bytes.subarray(0, end);
  const text = decoded(content);
  if (base === 'text') return text ?? latin1.decode(content);
  return text === undefined || unprintable.test(text) || (end === 0 && bytes.length > 0)
    ? hexOf(bytes)
    : text;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function hexOf(bytes: Buffer): string {
  return (bytes.toString('hex').match(/../g) ?? []).join(':');
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Year, month, day, hour, minute, second, tenths, and where the agent has one its zone (RFC 2579); undefined when it is none. */
function dateText(bytes: Buffer): string | undefined {
  if (bytes.length !== 8 && bytes.length !== 11) return undefined;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0, tenths = 0] = bytes.subarray(2);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isDate || hour > 23 || minute > 59 || second > 60 || tenths > 9) return undefined;
  const date = `${String(bytes.readUInt16BE()).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const zone =
    bytes.length === 8 ? '' : `${String.fromCharCode(bytes[8]!)}${two(bytes[9]!)}:${two(bytes[10]!)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}.${tenths}${zone}`;
}

/** Fills points with one fault. */
export function putFault(targets: readonly Target[], fault: Fault, into: Values): void {
  for (const { point } of targets) into.fault(point, fault);
}
