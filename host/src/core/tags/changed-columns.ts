import { Store, type Column, type Sample } from '@tagway/sdk';
import { faultAt } from '@tagway/sdk/internal';
import type { Shown } from '../model.ts';

/**
 * The columns whose value or error is another one in `to` than in `from`, or was in between, ascending; both are whole samples of one
 * layout. Times and qualities alone are no change. With `among`, of these columns alone.
 */
export function changedColumns(from: Shown, to: Shown, among?: readonly number[]): number[] {
  if (from.sample === to.sample) return [];
  const changed: number[] = [];
  const count = among?.length ?? to.sample.layout.columns.length;
  for (let at = 0; at < count; at++) {
    const index = among === undefined ? at : among[at]!;
    const wasSame =
      from.since === undefined || to.since === undefined || from.since[index] === to.since[index];
    if (!wasSame || !isUnchanged(from.sample, index, to.sample, index)) changed.push(index);
  }
  return changed;
}

/** Whether the value or error of a column is the same in two whole samples, in which its values lie in the same kind of array. */
export function isUnchanged(from: Sample, before: number, to: Sample, after: number): boolean {
  if (from.faults.length > 0 || to.faults.length > 0) {
    const old = faultAt(from, before);
    const now = faultAt(to, after);
    if (old >= 0 || now >= 0) return isSameFault(from, old, to, now);
  }
  const one = from.layout.columns[before]!;
  return isSameValue(from, one, to, to.layout.columns[after]!.place);
}

/** Whether a row of an event sample says what a column of a whole sample is. */
export function isRepeated(whole: Sample, event: Sample, row: number): boolean {
  const column = event.rows![row]!;
  const old = faultAt(whole, column);
  const now = faultAt(event, row);
  if (old >= 0 || now >= 0) return isSameFault(whole, old, event, now);
  return isSameValue(whole, whole.layout.columns[column]!, event, row);
}

/** `old` and `now` are places of faults; negative: there is none. */
function isSameFault(from: Sample, old: number, to: Sample, now: number): boolean {
  if (old < 0 || now < 0) return false;
  return from.faults[old * 2 + 1] === to.faults[now * 2 + 1] && textOf(from, old) === textOf(to, now);
}

function textOf({ reasons }: Sample, pair: number): string | undefined {
  return reasons?.texts[reasons.indices[pair] ?? -1];
}

function isSameValue(from: Sample, { store, place }: Column, to: Sample, other: number): boolean {
  if (store === Store.NUMBER) return Object.is(from.numbers[place], to.numbers[other]);
  if (store === Store.INTEGER) return from.integers[place] === to.integers[other];
  const before = from.objects[place];
  const after = to.objects[other];
  if (before === after) return true;
  return before instanceof Uint8Array && after instanceof Uint8Array && Buffer.compare(before, after) === 0;
}
