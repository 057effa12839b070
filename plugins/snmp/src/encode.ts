import { DataType, type Fault, type Value } from '@tagway/sdk';
import { mismatch as valueMismatch } from '@tagway/sdk/link';
import { writeMismatch, writeOutOfRange } from './faults.ts';
import type { Syntax } from './names/smi.ts';
import { encoded, integer, Tag } from './wire/ber.ts';
import { oidOf } from './wire/oid.ts';

/** The tag of a value by its syntax in the MIB; undefined where that leaves it open. */
export function tagOfSyntax(syntax: Syntax | undefined): number | undefined {
  return syntax === undefined ? undefined : tags[syntax.base];
}

const tags: Readonly<Record<string, number>> = {
  Integer32: Tag.INTEGER,
  TruthValue: Tag.INTEGER,
  Counter32: Tag.COUNTER32,
  Gauge32: Tag.GAUGE32,
  TimeTicks: Tag.TIME_TICKS,
  Counter64: Tag.COUNTER64,
  IpAddress: Tag.IP_ADDRESS,
  Opaque: Tag.OPAQUE,
  oid: Tag.OID,
  text: Tag.OCTETS,
  hex: Tag.OCTETS,
  DateAndTime: Tag.OCTETS,
  BITS: Tag.OCTETS,
  'OCTET STRING': Tag.OCTETS,
};

/** For an object that the agent does not show and no MIB describes. */
export function tagOfType(type: DataType): number {
  switch (type) {
    case DataType.STRING:
    case DataType.BYTES:
      return Tag.OCTETS;
    case DataType.UINT32:
      return Tag.GAUGE32;
    case DataType.UINT64:
      return Tag.COUNTER64;
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return Tag.OPAQUE;
    default:
      return Tag.INTEGER;
  }
}

export interface Writable {
  readonly type: DataType;
  readonly syntax: Syntax | undefined;
  readonly format: string | undefined;
}

/** A value for an object that holds values with this tag, or why it cannot be written there. */
export function encodeValue(value: Value, tag: number, { type, syntax, format }: Writable): Buffer | Fault {
  switch (tag) {
    case Tag.INTEGER:
      return whole(value, tag, { least: -(2 ** 31), most: 2 ** 31 - 1, type, syntax });
    case Tag.COUNTER32:
    case Tag.GAUGE32:
    case Tag.TIME_TICKS:
      return whole(value, tag, { least: 0, most: 2 ** 32 - 1, type, syntax });
    case Tag.COUNTER64:
      return whole(value, tag, { least: 0, most: 2 ** 64, type, syntax });
    case Tag.OCTETS:
      return bytes(value, type, format ?? syntax?.base);
    case Tag.OID: {
      if (typeof value !== 'string') return writeMismatch(tag, type);
      const oid = oidOf(value);
      return oid === undefined ? writeOutOfRange(tag) : encoded(tag, oid);
    }
    case Tag.IP_ADDRESS:
      return address(value, type);
    case Tag.OPAQUE:
      return opaque(value, type);
    default:
      return writeMismatch(tag, type);
  }
}

interface Limits {
  readonly least: number;
  readonly most: number;
  readonly type: DataType;
  readonly syntax: Syntax | undefined;
}

function whole(value: Value, tag: number, { least, most, type, syntax }: Limits): Buffer | Fault {
  if (value instanceof Uint8Array) return writeMismatch(tag, type);
  let number: number | bigint;
  if (typeof value === 'string') {
    const label = [...(syntax?.labels ?? [])].find(([, text]) => text === value)?.[0];
    if (label === undefined && !/^-?\d{1,20}$/.test(value)) return writeOutOfRange(tag);
    number = label ?? BigInt(value);
  } else if (typeof value === 'boolean') number = value ? 1 : 0;
  else number = value;
  const isTruth = type === DataType.BOOL || type === DataType.BIT;
  if (isTruth && syntax?.base === 'TruthValue') number = Number(number) === 0 ? 2 : 1;
  if (typeof number === 'number' && !Number.isInteger(number)) return writeOutOfRange(tag);
  const isWithin =
    tag === Tag.COUNTER64 ? number >= 0 && BigInt(number) < 2n ** 64n : number >= least && number <= most;
  return isWithin ? integer(number, tag) : writeOutOfRange(tag);
}

function bytes(value: Value, type: DataType, base: string | undefined): Buffer | Fault {
  if (value instanceof Uint8Array) return encoded(Tag.OCTETS, value);
  if (typeof value !== 'string') return writeMismatch(Tag.OCTETS, type);
  if (base !== 'hex' && base !== 'BITS') return encoded(Tag.OCTETS, Buffer.from(value));
  const digits = value.replaceAll(/[: -]/g, '');
  if (!/^(?:[\da-f]{2})*$/i.test(digits)) return writeOutOfRange(Tag.OCTETS);
  return encoded(Tag.OCTETS, Buffer.from(digits, 'hex'));
}

function address(value: Value, type: DataType): Buffer | Fault {
  if (value instanceof Uint8Array)
    return value.length === 4 ? encoded(Tag.IP_ADDRESS, value) : writeOutOfRange(Tag.IP_ADDRESS);
  if (typeof value !== 'string') return writeMismatch(Tag.IP_ADDRESS, type);
  const parts = value.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  const isAddress = parts.length === 4 && parts.every((part) => part <= 255);
  return isAddress ? encoded(Tag.IP_ADDRESS, Buffer.from(parts)) : writeOutOfRange(Tag.IP_ADDRESS);
}

/** Real numbers in the form that agents with Opaque use. */
function opaque(value: Value, type: DataType): Buffer | Fault {
  if (value instanceof Uint8Array) return encoded(Tag.OPAQUE, value);
  if (typeof value !== 'number')
    return typeof value === 'string' ? writeMismatch(Tag.OPAQUE, type) : valueMismatch;
  const isDouble = type === DataType.DOUBLE;
  const content = Buffer.alloc(isDouble ? 11 : 7);
  content.set(isDouble ? [0x9f, 0x79, 8] : [0x9f, 0x78, 4]);
  if (isDouble) content.writeDoubleBE(value, 3);
  else content.writeFloatBE(value, 3);
  return encoded(Tag.OPAQUE, content);
}
