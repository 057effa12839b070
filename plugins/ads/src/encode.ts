import { DataType, ErrorCode, Fault, integerRange, type Value } from '@tagway/sdk';
import { mismatch } from '@tagway/sdk/link';
import type { Form } from './form.ts';
import { textBytes } from './text.ts';

const notFinite = new Fault(
  ErrorCode.VALUE_OUT_OF_RANGE,
  'Only finite numbers can be written, and a FLOAT up to 3.4028235e38.',
);

/** The bytes to write for a value, or the fault of one that does not fit; nothing of it is sent then. */
export function encode(form: Form, value: Value): Uint8Array | Fault {
  switch (form.type) {
    case DataType.BOOL:
      return typeof value === 'boolean' ? Uint8Array.of(value ? 1 : 0) : mismatch;
    case DataType.STRING:
      if (typeof value !== 'string') return mismatch;
      return form.isWide ? wideText(form, value) : text(form, value);
    case DataType.BYTES:
      return value instanceof Uint8Array ? bytes(form, value) : mismatch;
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return typeof value === 'number' ? float(form, value) : mismatch;
    default:
      return integer(form, value);
  }
}

function integer({ type, size }: Form, value: Value): Uint8Array | Fault {
  if (typeof value !== (size === 8 ? 'bigint' : 'number')) return mismatch;
  if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch;
  const [least, most] = integerRange[type] ?? [0, 0];
  if (typeof value === 'number' && !Number.isInteger(value)) return mismatch;
  if (value < least || value > most)
    return new Fault(ErrorCode.VALUE_OUT_OF_RANGE, `The value ${value} is not from ${least} to ${most}.`);
  const data = Buffer.alloc(size);
  if (typeof value === 'bigint') data.writeBigUInt64LE(BigInt.asUintN(64, value));
  else data.writeUIntLE(value < 0 ? value + 2 ** (8 * size) : value, 0, size);
  return data;
}

function float({ type }: Form, value: number): Uint8Array | Fault {
  if (!Number.isFinite(type === DataType.FLOAT ? Math.fround(value) : value)) return notFinite;
  const data = Buffer.alloc(type === DataType.FLOAT ? 4 : 8);
  if (type === DataType.FLOAT) data.writeFloatLE(value);
  else data.writeDoubleLE(value);
  return data;
}

/** A text shorter than its place gets a zero as its end; what lies behind that is left as it is. */
function text({ size, isEnded }: Form, value: string): Uint8Array | Fault {
  const characters = textBytes(value);
  if (typeof characters === 'string')
    return new Fault(
      ErrorCode.VALUE_OUT_OF_RANGE,
      `A STRING of the controller cannot hold the character "${characters}": its code page is 1252.`,
    );
  return ended(characters, isEnded ? size - 1 : size, size, 1);
}

function wideText({ size }: Form, value: string): Uint8Array | Fault {
  return ended(Buffer.from(value, 'utf16le'), size - 2, size, 2);
}

function ended(characters: Uint8Array, most: number, size: number, width: number): Uint8Array | Fault {
  if (characters.length > most)
    return new Fault(
      ErrorCode.STRING_TOO_LONG,
      `The text has ${characters.length / width} characters; the tag holds ${most / width}.`,
    );
  const data = new Uint8Array(Math.min(characters.length + width, size));
  data.set(characters);
  return data;
}

function bytes({ size }: Form, value: Uint8Array): Uint8Array | Fault {
  return value.length === size
    ? value
    : new Fault(
        ErrorCode.VALUE_OUT_OF_RANGE,
        `There are ${value.length} bytes to write; the tag has exactly ${size}.`,
      );
}
