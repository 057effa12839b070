import { DataType, Limits, type TagRecord, dataTypeName } from '@tagway/schemas';
import { rangeOf } from './data-types.ts';

export type Written =
  | { readonly value: number | bigint | string | boolean | number[] }
  /** The key of the problem's text, and the limit that it names. */
  | {
      readonly problem: 'empty' | 'number' | 'integer' | 'range' | 'boolean' | 'bytes' | 'long';
      readonly limit: string;
    };

type Scale = Pick<TagRecord, 'type' | 'decimal' | 'bias'>;

const greatestFloat = 3.4028234663852886e38;

/** The value of a text, exact to the last digit, or the problem of the text. */
export function writtenValue(text: string, { type, decimal, bias }: Scale): Written {
  const trimmed = text.trim();
  if (type === DataType.STRING) {
    const isLong = new TextEncoder().encode(text).length > Limits.stringValue;
    return isLong ? { problem: 'long', limit: String(Limits.stringValue) } : { value: text };
  }
  if (trimmed === '') return { problem: 'empty', limit: '' };
  if (type === DataType.BOOL) return boolean(trimmed);
  if (type === DataType.BYTES) return bytes(trimmed);
  const isScaled = (decimal !== 0 && decimal !== 1) || bias !== 0;
  const range = rangeOf(type);
  if (range !== undefined && !isScaled) return integer(trimmed, range, type);
  return real(trimmed, { type, decimal: decimal || 1, bias });
}

function boolean(text: string): Written {
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return { value: true };
  if (word === 'false' || word === '0') return { value: false };
  return { problem: 'boolean', limit: '' };
}

/** Bytes as two hexadecimal digits each, with or without spaces. */
function bytes(text: string): Written {
  const digits = text.replace(/[\s,]/g, '');
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return { problem: 'bytes', limit: '' };
  return { value: Array.from(digits.matchAll(/../g), ([pair]) => Number.parseInt(pair, 16)) };
}

function integer(text: string, [least, greatest]: readonly [bigint, bigint], type: number): Written {
  const digits = text.replaceAll('_', '');
  if (!/^(?:[+-]?[0-9]+|0x[0-9a-f]+|0b[01]+)$/i.test(digits)) {
    return { problem: 'integer', limit: dataTypeName(type) };
  }
  const value = BigInt(digits.replace(/^\+/, ''));
  if (value < least || value > greatest) return { problem: 'range', limit: `${least} … ${greatest}` };
  const number = Number(value);
  return { value: Number.isSafeInteger(number) ? number : value };
}

function real(text: string, { type, decimal, bias }: Scale): Written {
  const plain = /^[+-]?[0-9]+,[0-9]+$/.test(text) ? text.replace(',', '.') : text;
  const value = Number(plain);
  if (plain === '' || !Number.isFinite(value)) return { problem: 'number', limit: dataTypeName(type) };
  const ofDevice = (value - bias) / decimal;
  const range =
    rangeOf(type)?.map(Number) ?? (type === DataType.FLOAT ? [-greatestFloat, greatestFloat] : []);
  const [least, greatest] = range;
  if (least === undefined || greatest === undefined) return { value };
  // The gateway rounds to the nearest integer.
  if (ofDevice < least - 0.5 || ofDevice > greatest + 0.5) {
    const ends = [least * decimal + bias, greatest * decimal + bias].toSorted((a, b) => a - b);
    return { problem: 'range', limit: ends.join(' … ') };
  }
  return { value };
}
