import type { Sample } from '../sample.ts';

/** Where the parts of a sample begin in which no column comes twice, and where the last one ends. */
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
