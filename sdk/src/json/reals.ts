import { exactLimit, powersOfTen, roundedDigits, writeAscii, writeDecimal } from './digits.ts';

const minus = 0x2d;

/** Writes the text of a real as JavaScript prints it, made recognisable as a real. */
function writeText(bytes: Uint8Array, at: number, text: string): number {
  const end = writeAscii(bytes, at, text);
  return text.includes('.') || text.includes('e') ? end : writeAscii(bytes, end, '.0');
}

/** The shortest decimal that a reader of single precision turns back into `x`, slowly. */
function shortestSingle(x: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = x.toPrecision(digits);
    if (Math.fround(Number(text)) === x) return String(Number(text));
  }
  return String(Number(x.toPrecision(9)));
}

/**
 * Writes the shortest decimal that round-trips the single `x`. Up to ten decimals the products are exact (24 bits times
 * 5^10 fits a double), so the first number of decimals that round-trips is found with plain arithmetic.
 */
function writeSingleMagnitude(bytes: Uint8Array, at: number, x: number): number {
  if (x < 0x100_0000) {
    for (let decimals = 0; decimals <= 10; decimals++) {
      const unit = powersOfTen[decimals]!;
      const digits = Math.round(x * unit);
      if (Math.fround(digits / unit) === x) return writeDecimal(bytes, at, digits, decimals);
    }
  }
  return writeText(bytes, at, shortestSingle(x));
}

function writeDoubleMagnitude(bytes: Uint8Array, at: number, x: number): number {
  for (let decimals = 0; decimals <= 6; decimals++) {
    const unit = powersOfTen[decimals]!;
    const digits = Math.round(x * unit);
    if (digits >= exactLimit) break;
    if (digits / unit === x) return writeDecimal(bytes, at, digits, decimals);
  }
  return writeText(bytes, at, String(x));
}

/** Writes `x` with a fixed number of decimals; a value that rounds to zero loses its sign. */
export function writeFixed(bytes: Uint8Array, at: number, x: number, decimals: number): number {
  const magnitude = Math.abs(x);
  const digits = roundedDigits(magnitude, decimals);
  if (digits >= 0) {
    if (x < 0 && digits > 0) bytes[at++] = minus;
    return writeDecimal(bytes, at, digits, decimals);
  }
  const text = magnitude.toFixed(decimals);
  if (x < 0 && Number(text) > 0) bytes[at++] = minus;
  return writeText(bytes, at, text);
}

/** Whether a sign is to be written: -0 has one too, which is lost where it is not. */
function isNegative(x: number): boolean {
  return x < 0 || Object.is(x, -0);
}

/** Writes a single as the shortest decimal that round-trips it, always with a fraction or an exponent. */
export function writeSingle(bytes: Uint8Array, at: number, x: number): number {
  if (isNegative(x)) bytes[at++] = minus;
  return writeSingleMagnitude(bytes, at, Math.abs(x));
}

/** Writes a double as the shortest decimal that round-trips it, always with a fraction or an exponent. */
export function writeDouble(bytes: Uint8Array, at: number, x: number): number {
  if (isNegative(x)) bytes[at++] = minus;
  return writeDoubleMagnitude(bytes, at, Math.abs(x));
}
