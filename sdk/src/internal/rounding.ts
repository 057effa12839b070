import { powersOfTen } from '../json/digits.ts';

/** Up to this many digits a decimal is the only one of its length that names a double. */
const exactLimit = 1e15;

/** Relative error of one multiplication of doubles, with room for one more. */
const slack = 2.3e-16;

/** A computed double at 15 significant digits, which hides the noise of the computation: 0.30000000000000004 becomes 0.3. */
export function roundComputed(x: number): number {
  const magnitude = Math.abs(x);
  for (let decimals = 0; decimals <= 6; decimals++) {
    const unit = powersOfTen[decimals] as number;
    const product = magnitude * unit;
    const digits = Math.round(product);
    if (digits >= exactLimit) break;
    if (Math.abs(product - digits) <= digits * slack) return x < 0 ? -digits / unit : digits / unit;
  }
  return Number(x.toPrecision(15));
}

/** The double nearest to `x` with so many decimals; what rounds to zero loses its sign. */
export function roundTo(x: number, decimals: number): number {
  const magnitude = Math.abs(x);
  const unit = powersOfTen[decimals] as number;
  const product = magnitude * unit;
  if (product < exactLimit) {
    const floor = Math.floor(product);
    const fraction = product - floor;
    // Next to a half the rounding of the product could decide wrongly; toFixed computes exactly.
    if (Math.abs(fraction - 0.5) > product * slack) {
      const digits = fraction < 0.5 ? floor : floor + 1;
      return x < 0 && digits > 0 ? -digits / unit : digits / unit;
    }
  }
  const rounded = Number(magnitude.toFixed(decimals));
  return x < 0 && rounded > 0 ? -rounded : rounded;
}
