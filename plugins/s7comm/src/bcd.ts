/** Three binary coded decimal digits in the low 12 bits of a word, or -1 when one of them is above 9. */
export function fromDecimal(word: number): number {
  const hundreds = (word >> 8) & 15;
  const tens = (word >> 4) & 15;
  const ones = word & 15;
  return hundreds > 9 || tens > 9 || ones > 9 ? -1 : hundreds * 100 + tens * 10 + ones;
}

/** A number from 0 to 999 as binary coded decimal. */
export function toDecimal(value: number): number {
  return (Math.floor(value / 100) << 8) | ((Math.floor(value / 10) % 10) << 4) | (value % 10);
}

/** Longest time of an S5TIME word, in milliseconds. */
export const longestTime = 9_990_000;

/** Milliseconds of an S5TIME word: a base of 10 ms to 10 s in bits 12 and 13, three digits below. -1 when it holds no digits. */
export function fromS5Time(word: number): number {
  const digits = fromDecimal(word);
  return digits < 0 ? -1 : digits * 10 ** (1 + ((word >> 12) & 3));
}

/** The S5TIME word of 0 to 9990000 ms, with the finest base that reaches as far; rounded to that. */
export function toS5Time(ms: number): number {
  for (let base = 0; base < 3; base++) {
    const digits = Math.round(ms / 10 ** (1 + base));
    if (digits <= 999) return (base << 12) | toDecimal(digits);
  }
  return (3 << 12) | toDecimal(Math.min(999, Math.round(ms / 10_000)));
}
