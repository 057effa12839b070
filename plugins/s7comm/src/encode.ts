import { ErrorCode, Fault, isInIntegerRange, numberSize, type DataType, type Value } from '@tagway/sdk';
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
  if (!Number.isFinite(kind === Kind.FLOAT ? Math.fround(value) : value)) return outOfRange;
  const data = Buffer.alloc(numberSize(kind as DataType) ?? 2);
  switch (kind) {
    case Kind.FLOAT:
      data.writeFloatBE(value);
      break;
    case Kind.DOUBLE:
      data.writeDoubleBE(value);
      break;
    case Kind.TIMER:
    case Kind.TIMER_SECONDS: {
      const ms = kind === Kind.TIMER ? value : value * 1000;
      if (ms < 0 || ms > longestTime) return badTime;
      data.writeUInt16BE(toS5Time(ms));
      break;
    }
    case Kind.COUNTER:
      if (!Number.isInteger(value) || value < 0 || value > 999) return badCount;
      data.writeUInt16BE(toDecimal(value));
      break;
    default:
      if (!isInIntegerRange(kind as DataType, value)) return outOfRange;
      data.writeUIntBE(value < 0 ? value + 2 ** (8 * data.length) : value, 0, data.length);
  }
  return { offset: 0, data };
}

function tooLong(size: string, length: number): Fault {
  return new Fault(ErrorCode.STRING_TOO_LONG, `The text has ${size}; the tag holds ${length}.`);
}
