import type { DataType } from '@tagway/sdk';
import { ErrorCode, Fault, integerRange, type Value } from '@tagway/sdk';
import { mismatch, outOfRange } from '@tagway/sdk/link';
import { Kind } from './types.ts';

const notFinite = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'Only finite numbers can be written, and a FLOAT up to 3.4028235e38.',
);

/** Where a value goes: what it becomes there, and the bytes that the variable has. */
export interface Place {
  readonly kind: Kind;
  readonly size: number;
  /** Most characters of a text in a structure. */
  readonly extra: number;
}

/** The bytes to write for a value, or the fault of one that does not fit; nothing of it is sent then. A bit is one byte, 0 or 1. */
export function encode({ kind, size, extra }: Place, value: Value): Buffer | Fault {
  switch (kind) {
    case Kind.BIT:
    case Kind.BOOL:
      if (typeof value !== 'boolean' && value !== 0 && value !== 1) return mismatch;
      return Buffer.from([Number(value)]);
    case Kind.TEXT:
    case Kind.SHORT_TEXT:
    case Kind.STRUCTURE_TEXT:
      return typeof value === 'string' ? text(kind, size, extra, value) : mismatch;
    case Kind.BYTES:
      return value instanceof Uint8Array ? bytes(size, value) : mismatch;
    case Kind.FLOAT:
    case Kind.DOUBLE:
      return typeof value === 'number' ? float(kind, value) : mismatch;
    default:
      return integer(kind, size, value);
  }
}

function integer(kind: Kind, size: number, value: Value): Buffer | Fault {
  if (typeof value !== (size === 8 ? 'bigint' : 'number')) return mismatch;
  if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch;
  if (typeof value === 'number' && !Number.isInteger(value)) return mismatch;
  const [least, most] = integerRange[kind as DataType] ?? [0, 0];
  if (value < least || value > most) return outOfRange;
  const data = Buffer.alloc(size);
  if (typeof value === 'bigint') data.writeBigUInt64LE(BigInt.asUintN(64, value));
  else data.writeUIntLE(value < 0 ? value + 2 ** (8 * size) : value, 0, size);
  return data;
}

function float(kind: Kind, value: number): Buffer | Fault {
  const isSingle = kind === Kind.FLOAT;
  if (!Number.isFinite(isSingle ? Math.fround(value) : value)) return notFinite;
  const data = Buffer.alloc(isSingle ? 4 : 8);
  if (isSingle) data.writeFloatLE(value);
  else data.writeDoubleLE(value);
  return data;
}

function text(kind: Kind, size: number, extra: number, value: string): Buffer | Fault {
  const characters = Buffer.from(value, 'utf8');
  const most = kind === Kind.STRUCTURE_TEXT ? extra : kind === Kind.TEXT ? 0xffff : 0xff;
  if (characters.length > most)
    return new Fault(
      ErrorCode.STRING_TOO_LONG,
      `The text has ${characters.length} bytes of UTF-8; the tag holds ${most}.`,
    );
  const head = kind === Kind.STRUCTURE_TEXT ? 4 : kind === Kind.TEXT ? 2 : 1;
  const data = Buffer.alloc(kind === Kind.STRUCTURE_TEXT ? size : head + characters.length);
  data.writeUIntLE(characters.length, 0, head);
  characters.copy(data, head);
  return data;
}

function bytes(size: number, value: Uint8Array): Buffer | Fault {
  if (value.length === size) return Buffer.from(value);
  return new Fault(
    ErrorCode.VALUE_OUT_OF_RANGE,
    `There are ${value.length} bytes to write; the tag has ${size}.`,
  );
}
