/** A number with at most `digits` digits after the point; thousands are set apart by a thin space, as the International System has it. */
export function numberText(number: number, digits = 1): string {
  const text = number.toLocaleString('en-US', { maximumFractionDigits: digits, useGrouping: true });
  return text.replaceAll(',', '\u2009');
}
