import type { Column } from '../sample.ts';

/** Per column the bytes that go before a value, with a leading comma: those of column `i` lie in `starts[i]` to `starts[i + 1]`. */
export interface Prefixes {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Length of the longest. */
  readonly longest: number;
}

export function prefixesOf(columns: readonly Column[], before: string, after: string): Prefixes {
  const parts = columns.map(({ name }) => Buffer.from(`,${before}${JSON.stringify(name)}${after}`));
  const starts = new Uint32Array(parts.length + 1);
  let longest = 0;
  parts.forEach((part, column) => {
    starts[column + 1] = starts[column]! + part.length;
    longest = Math.max(longest, part.length);
  });
  return { bytes: Buffer.concat(parts), starts, longest };
}

/** Writes the prefix of a column, without its comma before the first, and returns the place after it. */
export function writePrefix(
  into: Uint8Array,
  at: number,
  prefixes: Prefixes,
  column: number,
  first: boolean,
): number {
  const { bytes, starts } = prefixes;
  const end = starts[column + 1]!;
  let place = at;
  for (let from = starts[column]! + (first ? 1 : 0); from < end; from++) into[place++] = bytes[from]!;
  return place;
}
