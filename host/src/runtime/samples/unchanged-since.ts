import type { Sample } from '@tagway/sdk';
import { isRepeated, isUnchanged } from '../../core/tags/changed-columns.ts';

/** The times of a first sample: what was before it is not known. */
export const sinceFirst = (sample: Sample): Float64Array =>
  new Float64Array(sample.layout.columns.length).fill(-sample.timestamp);

/**
 * The times of a whole sample that follows another one with the times `since`. `columnBefore` finds the column that a column had in the
 * layout of the sample before, -1 when it had none; absent: they have the same layout. The times before are returned as they are when
 * nothing has changed, which saves the copy.
 */
export function sinceNext(
  since: Float64Array,
  from: Sample,
  to: Sample,
  columnBefore?: (column: number) => number,
): Float64Array {
  const count = to.layout.columns.length;
  let next = columnBefore === undefined ? undefined : new Float64Array(count);
  for (let column = 0; column < count; column++) {
    const before = columnBefore === undefined ? column : columnBefore(column);
    const old = before < 0 ? 0 : since[before]!;
    if (old === 0) {
      next ??= since.slice();
      next[column] = -to.timestamp;
    } else if (!isUnchanged(from, before, to, column)) {
      next ??= since.slice();
      next[column] = to.timestamp;
    } else if (columnBefore !== undefined) next![column] = old;
  }
  return next ?? since;
}

/**
 * Takes the changes of an event sample into `next`, whose times were those of `whole` before the first event: `since`. A column that an
 * event has changed already is not compared again: events report changes.
 */
export function sinceEvents(next: Float64Array, since: Float64Array, whole: Sample, event: Sample): void {
  const { rows } = event;
  if (rows === undefined) return;
  for (let row = 0; row < rows.length; row++) {
    const column = rows[row]!;
    if (next[column] === since[column] && since[column] !== 0 && isRepeated(whole, event, row)) continue;
    next[column] = since[column] === 0 ? -event.timestamp : event.timestamp;
  }
}
