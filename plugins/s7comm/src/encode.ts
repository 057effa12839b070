import { ErrorCode, Fault, type Value } from '@tagway/sdk';
import { mismatch, outOfRange } from '@tagway/sdk/link';
import { Kind, type Address } from './address.ts';
import { longestTime, toDecimal, toS5Time } from './bcd.ts';

/** Bytes to write, and where: a text leaves out its declared length, which is the PLC's. */
export interface Encoded {
  readonly offset: number;
  readonly data: Buffer;
}

const badTime = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  `A timer takes from 0 to ${longestTime} ms (${longestTime / 1000} s).`,
);
const badCount = new Fault(ErrorCode.VALUE_OUT_OF_RANGE, 'A counter takes from 0 to 999.');

/** The bytes of a value, or the fault of one that does not fit its address. */
export function encode({ kind, length }: Address, value: Value): Encoded | Fault {
  switch (kind) {
    case Kind.BIT:
      return encodeBit(value);
    case Kind.TEXT:
      return typeof value === 'string' ? encodeText(value, length) : mismatch;
    case Kind.WIDE_TEXT:
      return typeof value === 'string' ? encodeWideText(value, length) : mismatch;
    case Kind.BYTES:
      return value instanceof Uint8Array ? encodeBytes(value, length) : mismatch;
    default:
      return typeof value === 'number' ? encodeNumber(kind, value) : mismatch;
  }
}

const integerBytes: Readonly<Partial<Record<Kind, number>>> = {
  [Kind.INT16]: 2,
  [Kind.UINT16]: 2,
  [Kind.INT32]: 4,
  [Kind.UINT32]: 4,
};

function encodeBit(value: Value): Encoded | Fault {
  if (typeof value !== 'boolean' && value !== 0 && value !== 1) return mismatch;
  return { offset: 0, data: Buffer.from([Number(value)]) };
}

function encodeText(value: string, length: number): Encoded | Fault {
  const text = Buffer.from(value, 'utf8');
  if (text.length > length) return tooLong(`${text.length} bytes of UTF-8`, length);
  return { offset: 1, data: Buffer.concat([Buffer.from([text.length]), text]) };
}

function encodeWideText(value: string, length: number): Encoded | Fault {
  if (value.length > length) return tooLong(`${value.length} characters of UTF-16`, length);
  const data = Buffer.alloc(2 + 2 * value.length);
  data.writeUInt16LE(value.length, 0);
  data.write(value, 2, 'utf16le');
  return { offset: 2, data: data.swap16() };
}

function encodeBytes(value: Uint8Array, length: number): Encoded | Fault {
  if (value.length > length)
    return new Fault(
      ErrorCode.VALUE_OUT_OF_RANGE,
      `There are ${value.length} bytes to write; the tag holds ${length}.`,
    );
  const data = Buffer.alloc(length);
  data.set(value);
  return { offset: 0, data };
}

function encodeNumber(kind: Kind, value: number): Encoded | Fault {
  if (!Number.isFinite(value)) return outOfRange;
  const data = Buffer.alloc(8);
  const first = (bytes: number): Encoded => ({ offset: 0, data: data.subarray(0, bytes) });
  switch (kind) {
    case Kind.FLOAT:
      if (!Number.isFinite(Math.fround(value))) return outOfRange;
      data.writeFloatBE(value);
      return first(4);
    case Kind.DOUBLE:
      data.writeDoubleBE(value);
      return first(8);
    case Kind.TIMER:
    case Kind.TIMER_SECONDS: {
      const ms = kind === Kind.TIMER ? value : value * 1000;
      if (ms < 0 || ms > longestTime) return badTime;
      data.writeUInt16BE(toS5Time(ms));
      return first(2);
    }
    case Kind.COUNTER:
      if (!Number.isInteger(value) || value < 0 || value > 999) return badCount;
      data.writeUInt16BE(toDecimal(value));
      return first(2);
    default:
      return encodeInteger(kind, value, data);
  }
}

function encodeInteger(kind: Kind, value: number, data: Buffer): Encoded | Fault {
  const bytes = integerBytes[kind] ?? 1;
  const signed = kind === Kind.INT8 || kind === Kind.INT16 || kind === Kind.INT32;
  const span = 2 ** (8 * bytes);
  const least = signed ? -span / 2 : 0;
  if (!Number.isInteger(value) || value < least || value >= least + span) return outOfRange;
  data.writeUIntBE(value < 0 ? value + span : value, 0, bytes);
  return { offset: 0, data: data.subarray(0, bytes) };
}

function tooLong(size: string, length: number): Fault {
  return new Fault(ErrorCode.STRING_TOO_LONG, `The text has ${size}; the tag holds ${length}.`);
}
