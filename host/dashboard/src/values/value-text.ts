import { bitsOf } from './data-types.ts';

/** How integers and bytes are shown. */
export type Base = 'decimal' | 'hex' | 'binary';

/** The value of a tag as text. Numbers that are not integers are the same in every base. */
export function valueText(value: unknown, type: number, base: Base): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return bytesText(value, base);
  const bits = bitsOf(type);
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (base === 'decimal' || bits === undefined || !isInteger) {
    return typeof value === 'object'
      ? JSON.stringify(value)
      : `${value as string | number | bigint | boolean}`;
  }
  const pattern = BigInt.asUintN(bits, BigInt(value));
  return base === 'hex'
    ? `0x${pattern
        .toString(16)
        .toUpperCase()
        .padStart(Math.ceil(bits / 4), '0')}`
    : `0b${groups(pattern.toString(2).padStart(bits, '0'))}`;
}

/** Separates groups of four digits. */
const groups = (digits: string): string => digits.replace(/\B(?=(?:[01]{4})+$)/g, '_');

function bytesText(bytes: readonly unknown[], base: Base): string {
  return bytes
    .map((byte) =>
      base === 'binary'
        ? Number(byte).toString(2).padStart(8, '0')
        : base === 'hex'
          ? Number(byte).toString(16).toUpperCase().padStart(2, '0')
          : String(byte),
    )
    .join(' ');
}
