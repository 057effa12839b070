import { DataType, integerRange, numberSize } from '@tagway/schemas';

/** The data type of a name in any case, or of a number as text. */
export function typeFrom(text: string): DataType | undefined {
  const wanted = text.trim().toUpperCase();
  return Object.entries(DataType).find(([name, type]) => name === wanted || String(type) === wanted)?.[1];
}

export const typeNames: readonly string[] = Object.keys(DataType);

/** The number of bits of an integer type; undefined for other types. */
export function bitsOf(type: number): number | undefined {
  if (type === DataType.BIT) return 1;
  return type in integerRange ? 8 * (numberSize(type as DataType) ?? 0) : undefined;
}

/** The smallest and the largest value of an integer type; undefined for other types. */
export function rangeOf(type: number): readonly [bigint, bigint] | undefined {
  if (type === DataType.BIT) return [0n, 1n];
  const range = integerRange[type as DataType];
  return range && [BigInt(range[0]), BigInt(range[1])];
}
