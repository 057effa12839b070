import { DataType } from '@tagway/schemas';
import type { Column } from '../sample.ts';

/** How the values of a column are stored and printed. */
export const Kind = {
  INTEGER: 0,
  SINGLE: 1,
  DOUBLE: 2,
  FIXED: 3,
  BOOL: 4,
  INT64: 5,
  UINT64: 6,
  STRING: 7,
  BYTES: 8,
} as const;

export function kindOf({ type, scaled, precision }: Column): number {
  if (type === DataType.STRING) return Kind.STRING;
  if (type === DataType.BYTES) return Kind.BYTES;
  if (type === DataType.BOOL) return Kind.BOOL;
  if (type === DataType.BIT) return Kind.INTEGER;
  if (scaled || type === DataType.FLOAT || type === DataType.DOUBLE) {
    if (precision > 0) return Kind.FIXED;
    return scaled || type === DataType.DOUBLE ? Kind.DOUBLE : Kind.SINGLE;
  }
  if (type === DataType.INT64) return Kind.INT64;
  return type === DataType.UINT64 ? Kind.UINT64 : Kind.INTEGER;
}

/** Whether the column holds doubles that need not be finite. */
export function isReal(kind: number): boolean {
  return kind >= Kind.SINGLE && kind <= Kind.FIXED;
}
