import { type Sample, Store } from '../../sample.ts';

/** A whole sample with the later events of the same layout applied to it. It is due as a whole. */
export function foldEvents(whole: Sample, events: readonly Sample[]): Sample {
  const last = events.at(-1);
  if (last === undefined) return whole;
  const { layout } = whole;
  const numbers = whole.numbers.slice();
  const integers = whole.integers.slice();
  const objects = [...whole.objects];
  const hasTimes =
    whole.timestamps !== undefined || events.some(({ timestamps }) => timestamps !== undefined);
  const hasQualities =
    whole.qualities !== undefined || events.some(({ qualities }) => qualities !== undefined);
  const timestamps = whole.timestamps?.slice() ?? new Float64Array(layout.columns.length).fill(NaN);
  const qualities = whole.qualities?.slice() ?? new Uint32Array(layout.columns.length);
  const faults = new Map(faultsOf(whole));
  for (const event of events) {
    const failed = new Map(faultsOf(event));
    event.rows?.forEach((index, row) => {
      timestamps[index] = event.timestamps?.[row] ?? NaN;
      qualities[index] = event.qualities?.[row] ?? 0;
      const fault = failed.get(row);
      if (fault !== undefined) {
        faults.set(index, fault);
        return;
      }
      faults.delete(index);
      const { store, place } = layout.columns[index]!;
      if (store === Store.NUMBER) numbers[place] = event.numbers[row]!;
      else if (store === Store.INTEGER) integers[place] = event.integers[row]!;
      else objects[place] = event.objects[row]!;
    });
  }
  return {
    layout,
    timestamp: last.timestamp,
    numbers,
    integers,
    objects,
    ...packFaults(faults),
    ...(hasTimes && { timestamps }),
    ...(hasQualities && { qualities }),
  };
}

/** A fault as a sample holds it: its code, and why. */
export interface FaultEntry {
  readonly code: number;
  readonly text: string;
}

/** The faults of a sample by column or row. */
export function faultsOf({
  faults,
  reasons,
}: Pick<Sample, 'faults' | 'reasons'>): [at: number, fault: FaultEntry][] {
  return Array.from({ length: faults.length / 2 }, (_, pair) => [
    faults[pair * 2]!,
    { code: faults[pair * 2 + 1]!, text: reasons?.texts[reasons.indices[pair] ?? -1] ?? '' },
  ]);
}

/** Faults by column or row, as a sample holds them. */
export function packFaults(faults: ReadonlyMap<number, FaultEntry>): Pick<Sample, 'faults' | 'reasons'> {
  const entries = [...faults].sort(([one], [other]) => one - other);
  const texts = [...new Set(entries.map(([, { text }]) => text))];
  const places = new Map(texts.map((text, place) => [text, place]));
  return {
    faults: Int32Array.from(entries.flatMap(([at, { code }]) => [at, code])),
    ...(entries.length > 0 && {
      reasons: { texts, indices: Uint16Array.from(entries, ([, { text }]) => places.get(text) ?? 0) },
    }),
  };
}
