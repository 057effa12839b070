import { DataType, type Fault, type Value } from '@tagway/sdk';
import type { Address } from './address.ts';
import { realBytes, signedBytes, Tag, TagWriter, textBytes, unsignedBytes } from './encoding.ts';
import { writeMismatch, writeOutOfRange } from './faults.ts';
import type { Wire } from './properties.ts';

/** Largest finite value of a Real. */
const largestReal = 3.402_823_466_385_288_6e38;

type PlainWire = Exclude<Wire, 'present' | 'tag'>;

const nullValue = Buffer.of(Tag.NULL << 4);

function tagged(tag: number, content: Buffer): Buffer {
  return new TagWriter().application(tag, content).bytes();
}

/** A value with its application tag, as its property wants it, or the fault of one that does not fit. */
export function encode(address: Address, type: DataType, value: Value): Buffer | Fault {
  if (address.isRelinquish) return nullValue;
  const { area, wire } = address;
  if (wire === 'tag') return encodeByType(type, value);
  if (wire === 'present') return encodeAs(presentWire(area), value, area.startsWith('B'));
  return encodeAs(wire, value, false);
}

/** How the present value of objects of an area is written. */
function presentWire(area: string): PlainWire {
  if (area.startsWith('B')) return 'enumerated';
  return area.startsWith('M') || area === 'ACC' ? 'unsigned' : 'real';
}

function encodeAs(wire: PlainWire, value: Value, isBinary: boolean): Buffer | Fault {
  if (wire === 'text') {
    return typeof value === 'string' ? tagged(Tag.TEXT, textBytes(value)) : writeMismatch;
  }
  if (typeof value === 'string' || value instanceof Uint8Array) return writeMismatch;
  if (wire === 'real') return encodeReal(Number(value));
  const whole = typeof value === 'boolean' ? Number(value) : value;
  if (typeof whole === 'number' && !Number.isSafeInteger(whole)) return writeOutOfRange;
  if (wire === 'boolean') {
    if (Number(whole) !== 0 && Number(whole) !== 1) return writeOutOfRange;
    return new TagWriter().boolean(Number(whole) === 1).bytes();
  }
  if (wire === 'signed') return tagged(Tag.SIGNED, signedBytes(whole));
  const highest = isBinary ? 1n : wire === 'enumerated' ? 0xffff_ffffn : 0xffff_ffff_ffff_ffffn;
  if (whole < 0 || BigInt(whole) > highest) return writeOutOfRange;
  const tag = wire === 'enumerated' ? Tag.ENUMERATED : Tag.UNSIGNED;
  return tagged(tag, unsignedBytes(whole));
}

function encodeReal(value: number): Buffer | Fault {
  if (!Number.isFinite(value) || Math.abs(value) > largestReal) return writeOutOfRange;
  return tagged(Tag.REAL, realBytes(value, 4));
}

/** The value of a property of which only the type of its tag is known. */
function encodeByType(type: DataType, value: Value): Buffer | Fault {
  if (type === DataType.BYTES)
    return value instanceof Uint8Array ? tagged(Tag.OCTETS, Buffer.from(value)) : writeMismatch;
  if (type !== DataType.DOUBLE) return encodeAs(wireOf(type), value, false);
  return typeof value === 'number' && Number.isFinite(value)
    ? tagged(Tag.DOUBLE, realBytes(value, 8))
    : writeMismatch;
}

/** How a property is written of which only the type of its tag is known. */
function wireOf(type: DataType): PlainWire {
  switch (type) {
    case DataType.BIT:
      return 'enumerated';
    case DataType.BOOL:
      return 'boolean';
    case DataType.INT8:
    case DataType.INT16:
    case DataType.INT32:
    case DataType.INT64:
      return 'signed';
    case DataType.FLOAT:
      return 'real';
    case DataType.STRING:
      return 'text';
    default:
      return 'unsigned';
  }
}
