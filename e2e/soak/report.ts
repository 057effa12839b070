import type { Field } from './field.ts';
import { counter, watched } from './field.ts';
import { countOf, lostChanges, lostSamples, type Loss, missedCycles, type Window } from './ledger.ts';
import { type Bound, isBeyond, type Reading, type Slope, slopeOf, type SlopeOptions } from './slope.ts';
import type { Lives } from './meter.ts';

/** Bounds of growth per process: megabytes and descriptors per hour. */
export interface Bounds {
  readonly memory: Bound;
  readonly descriptors: Bound;
}

/** Something that should be there and is not; `where` are the first places. */
export interface Lost {
  readonly what: string;
  readonly count: number;
  readonly where: readonly string[];
}

const stamp = (time: number): string => new Date(time).toISOString().slice(11, 23);
const placesOf = (losses: readonly Loss[], name = ''): string[] =>
  losses.map(({ from, to, count }) => `${name} ${stamp(from)} to ${stamp(to)}: ${count}`.trim());

/** What subscribers should have had from `from` to `to`, and did not. */
export function lostBySubscribers(
  { steady, uplink }: Pick<Field, 'steady' | 'uplink'>,
  windows: readonly Window[],
  from: number,
  to: number,
): Lost[] {
  const of = (...what: string[]): Window[] => windows.filter((window) => what.includes(window.what));
  const north = of('gateway', 'runner mqtt');
  const cycles: string[] = [];
  const samples: string[] = [];
  let cycleCount = 0;
  let sampleCount = 0;
  for (const { key, node, plugin, interval } of watched) {
    const excused = of('machine', 'gateway', 'runner mqtt', `runner ${plugin}`, `device ${node}`);
    const had = (steady.times.get(key) ?? []).filter((time) => time >= from);
    const missed = missedCycles(had, interval, excused, to);
    const lost = lostSamples(had, uplink.times.get(key) ?? [], north, from, to);
    cycleCount += countOf(missed);
    sampleCount += countOf(lost);
    cycles.push(...placesOf(missed, key));
    samples.push(...placesOf(lost, key));
  }
  const began = of(`runner ${counter.plugin}`);
  const atSteady = lostChanges(steady.changes, [...north, ...began], from, to);
  const atUplink = lostChanges(uplink.changes, [...north, ...began], from, to);
  return [
    { what: 'cycles missed outside of outages', count: cycleCount, where: cycles },
    { what: 'samples that did not come through an outage', count: sampleCount, where: samples },
    {
      what: 'pushed changes lost',
      count: countOf(atSteady) + countOf(atUplink),
      where: [...placesOf(atSteady, 'steady'), ...placesOf(atUplink, 'uplink')],
    },
  ];
}

export interface Growth {
  readonly kind: string;
  readonly lives: number;
  readonly memory: Slope;
  readonly descriptors: Slope;
  readonly isBeyond: boolean;
}

export function growthOf(kinds: ReadonlyMap<string, Lives>, options: SlopeOptions, bounds: Bounds): Growth[] {
  return [...kinds].map(([kind, { memory, descriptors }]) => {
    const growth = {
      memory: slopeOf([...memory.values()], options),
      descriptors: slopeOf([...descriptors.values()], options),
    };
    return {
      kind,
      lives: memory.size,
      ...growth,
      isBeyond: isBeyond(growth.memory, bounds.memory) || isBeyond(growth.descriptors, bounds.descriptors),
    };
  });
}

/** `heaps`: megabytes that were left when garbage was collected, of which the longest life is shown. */
export function growthTable(
  rows: readonly Growth[],
  heaps: ReadonlyMap<string, ReadonlyMap<number, readonly Reading[]>>,
): string {
  const columns = [
    'process',
    'lives',
    'h',
    'MB from',
    'to',
    'MB/h',
    'heap from',
    'to',
    'fd from',
    'to',
    'fd/h',
  ];
  const head = [...columns, ''];
  const lines = rows.map(({ kind, lives, memory, descriptors, isBeyond: beyond }) => [
    ...[
      kind,
      `${lives}`,
      memory.span.toFixed(2),
      memory.first.toFixed(1),
      memory.last.toFixed(1),
      memory.perHour.toFixed(1),
    ],
    ...heapCells(heaps.get(kind)),
    ...[
      `${descriptors.first}`,
      `${descriptors.last}`,
      descriptors.perHour.toFixed(1),
      beyond ? 'BEYOND' : '',
    ],
  ]);
  const widths = head.map((title, at) =>
    Math.max(title.length, ...lines.map((line) => (line[at] ?? '').length)),
  );
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function heapCells(lives: ReadonlyMap<number, readonly Reading[]> = new Map()): [from: string, to: string] {
  const [life = []] = [...lives.values()].toSorted((one, other) => other.length - one.length);
  const shown = (reading: Reading | undefined): string => reading?.value.toFixed(1) ?? '';
  return [shown(life[0]), shown(life.at(-1))];
}
