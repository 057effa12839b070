import { exactLimit, powersOfTen, roundedDigits, slack } from '../../json/digits.ts';

/** A computed double at 15 significant digits, which hides the noise of the computation: 0.30000000000000004 becomes 0.3. */
export function roundComputed(x: number): number {
  const magnitude = Math.abs(x);
  for (let decimals = 0; decimals <= 6; decimals++) {
    const unit = powersOfTen[decimals]!;
    const product = magnitude * unit;
    const digits = Math.round(product);
    if (digits >= exactLimit) break;
    if (Math.abs(product - digits) <= digits * slack) return x < 0 ? -digits / unit : digits / unit;
  }
  return Number(x.toPrecision(15));
}

/** The double nearest to `x` with this many decimals; what rounds to zero loses its sign. */
export function roundTo(x: number, decimals: number): number {
  const magnitude = Math.abs(x);
  const digits = roundedDigits(magnitude, decimals);
  const rounded = digits < 0 ? Number(magnitude.toFixed(decimals)) : digits / powersOfTen[decimals]!;
  return x < 0 && rounded > 0 ? -rounded : rounded;
}
