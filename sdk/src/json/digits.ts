const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;

/** Most bytes that any of these functions writes. */
export const maxNumberLength = 48;

export const powersOfTen: readonly number[] = Array.from({ length: 18 }, (_, exponent) =>
  Number(`1e${exponent}`),
);

function digitCount(n: number): number {
  if (n < 1e5) return n < 1e2 ? (n < 10 ? 1 : 2) : n < 1e3 ? 3 : n < 1e4 ? 4 : 5;
  return n < 1e7 ? (n < 1e6 ? 6 : 7) : n < 1e8 ? 8 : 9;
}

/** Writes `n`, below 10^9, with leading zeros. */
function writePadded(bytes: Uint8Array, at: number, n: number, width: number): number {
  let rest = n | 0;
  for (let place = at + width - 1; place >= at; place--) {
    const quotient = (rest / 10) | 0;
    bytes[place] = zero + rest - quotient * 10;
    rest = quotient;
  }
  return at + width;
}

function writeLarge(bytes: Uint8Array, at: number, n: number): number {
  const high = Math.floor(n / 1e9);
  return writePadded(bytes, writeNatural(bytes, at, high), n - high * 1e9, 9);
}

/** Writes a whole number of 0 to 2^53 in decimal and returns the place after it. */
export function writeNatural(bytes: Uint8Array, at: number, n: number): number {
  return n < 1e9 ? writePadded(bytes, at, n, digitCount(n)) : writeLarge(bytes, at, n);
}

/** Writes a whole number of −2^53 to 2^53 in decimal and returns the place after it. */
export function writeInteger(bytes: Uint8Array, at: number, n: number): number {
  if (n >= 0) return writeNatural(bytes, at, n);
  bytes[at] = minus;
  return writeNatural(bytes, at + 1, -n);
}

/** Writes `n · 10^-decimals` for an `n` of 0 to 10^15 and up to 17 decimals, at least one of which is printed. */
export function writeDecimal(bytes: Uint8Array, at: number, n: number, decimals: number): number {
  if (decimals === 0) {
    const end = writeNatural(bytes, at, n);
    bytes[end] = point;
    bytes[end + 1] = zero;
    return end + 2;
  }
  const unit = powersOfTen[decimals]!;
  const whole = Math.floor(n / unit);
  const fraction = n - whole * unit;
  let place = writeNatural(bytes, at, whole);
  bytes[place++] = point;
  if (decimals <= 9) return writePadded(bytes, place, fraction, decimals);
  const high = Math.floor(fraction / 1e9);
  place = writePadded(bytes, place, high, decimals - 9);
  return writePadded(bytes, place, fraction - high * 1e9, 9);
}

/** Up to this many digits a decimal is the only one of its length that names a double. */
export const exactLimit = 1e15;

/** Relative error of one multiplication of doubles, with room for one more. */
export const slack = 2.3e-16;

/** `x · 10^decimals`, rounded, for an `x` that is not negative; -1 where only `toFixed` computes it exactly. */
export function roundedDigits(x: number, decimals: number): number {
  const product = x * powersOfTen[decimals]!;
  if (!(product < exactLimit)) return -1;
  const floor = Math.floor(product);
  const fraction = product - floor;
  // Next to a half the rounding of the product could decide wrongly.
  if (!(Math.abs(fraction - 0.5) > product * slack)) return -1;
  return fraction < 0.5 ? floor : floor + 1;
}

/** Writes ASCII text and returns the place after it. */
export function writeAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}
