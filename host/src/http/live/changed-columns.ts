import { Store, type Column, type Sample } from '@tagway/sdk';
import { faultAt } from '@tagway/sdk/internal';

/**
 * The columns whose value or error is another one in `to` than in `from`, ascending; both are whole samples of one layout.
 * Times and qualities alone are no change.
 */
export function changedColumns(from: Sample, to: Sample): number[] {
  if (from === to) return [];
  const changed: number[] = [];
  const { columns } = to.layout;
  const hasFaults = from.faults.length > 0 || to.faults.length > 0;
  for (let index = 0; index < columns.length; index++) {
    const isSame =
      hasFaults && hasFault(from, to, index)
        ? isSameFault(from, to, index)
        : isSameValue(from, to, columns[index] as Column);
    if (!isSame) changed.push(index);
  }
  return changed;
}

const hasFault = (from: Sample, to: Sample, index: number): boolean =>
  faultAt(from, index) >= 0 || faultAt(to, index) >= 0;

function isSameFault(from: Sample, to: Sample, index: number): boolean {
  const before = faultAt(from, index);
  const after = faultAt(to, index);
  if (before < 0 || after < 0) return false;
  return (
    from.faults[before * 2 + 1] === to.faults[after * 2 + 1] && textOf(from, before) === textOf(to, after)
  );
}

function textOf({ reasons }: Sample, pair: number): string | undefined {
  return reasons?.texts[reasons.indices[pair] ?? -1];
}

function isSameValue(from: Sample, to: Sample, { store, place }: Column): boolean {
  if (store === Store.NUMBER) return Object.is(from.numbers[place], to.numbers[place]);
  if (store === Store.INTEGER) return from.integers[place] === to.integers[place];
  const before = from.objects[place];
  const after = to.objects[place];
  if (before === after) return true;
  return before instanceof Uint8Array && after instanceof Uint8Array && Buffer.compare(before, after) === 0;
}
