import type { Sample } from '@tagway/sdk';
import { isRepeated, isUnchanged } from '../../core/tags/changed-columns.ts';

/** The times of a first sample: what was before it is not known. */
export const sinceFirst = (sample: Sample): Float64Array =>
  new Float64Array(sample.layout.columns.length).fill(-sample.timestamp);

/**
 * The times of a whole sample `to` that follows the whole sample `from` with the times `since` and has the same layout. They are written into
 * `since`, unless somebody else has it: then into a copy, if anything has changed. Most samples have neither faults nor anything but numbers,
 * which takes a fraction of the time of the comparison column by column.
 */
export function sinceNext(
  since: Float64Array,
  from: Sample,
  to: Sample,
  { isShared }: { readonly isShared: boolean },
): Float64Array {
  const { timestamp, numbers, layout } = to;
  const count = layout.columns.length;
  const isPlain = numbers.length === count && from.faults.length === 0 && to.faults.length === 0;
  const before = from.numbers;
  let next = since;
  for (let column = 0; column < count; column++) {
    const old = next[column]!;
    if (
      old !== 0 &&
      (isPlain ? isSame(before[column]!, numbers[column]!) : isUnchanged(from, column, to, column))
    )
      continue;
    if (isShared && next === since) next = since.slice();
    next[column] = old === 0 ? -timestamp : timestamp;
  }
  return next;
}

/** The two zeros are different values. */
function isSame(before: number, number: number): boolean {
  return before === number && (number !== 0 || Object.is(before, number));
}

/**
 * The times of a whole sample that follows one of another layout with the times `since`. `columnBefore` finds the column that a column had
 * there, -1 when it had none.
 */
export function sinceOfLayout(
  since: Float64Array,
  from: Sample,
  to: Sample,
  columnBefore: (column: number) => number,
): Float64Array {
  const next = new Float64Array(to.layout.columns.length);
  for (let column = 0; column < next.length; column++) {
    const before = columnBefore(column);
    const old = before < 0 ? 0 : since[before]!;
    if (old === 0) next[column] = -to.timestamp;
    else next[column] = isUnchanged(from, before, to, column) ? old : to.timestamp;
  }
  return next;
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
