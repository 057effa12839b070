import type { Sample } from '../sample.ts';

/** Splits a sample into parts in which no column comes twice: the first row of each, then the end of the last one. */
export function boundsOf({ layout, rows }: Sample): number[] {
  if (rows === undefined) return [0, layout.columns.length];
  const bounds = [0];
  let seen = new Set<number>();
  rows.forEach((column, row) => {
    if (seen.has(column)) {
      bounds.push(row);
      seen = new Set();
    }
    seen.add(column);
  });
  return [...bounds, rows.length];
}
