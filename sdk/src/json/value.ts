import { DataType } from '@tagway/schemas';
import type { Value } from '../value.ts';
import { maxNumberLength } from './digits.ts';
import { writeDouble, writeSingle } from './reals.ts';

const scratch = Buffer.alloc(maxNumberLength);

/** JSON text of one value that is neither scaled nor rounded. The value of a real is finite. */
export function jsonOf(value: Value, type: DataType): string {
  if (typeof value === 'number') {
    if (type === DataType.FLOAT)
      return scratch.toString('latin1', 0, writeSingle(scratch, 0, Math.fround(value)));
    if (type === DataType.DOUBLE) return scratch.toString('latin1', 0, writeDouble(scratch, 0, value));
    return String(value);
  }
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' ? `[${value.join(',')}]` : JSON.stringify(value);
}
