import { brokenBy, type FaultRow } from './fault-trial.ts';
import { limits, median, middleAndMost, type Outcome, stopsWithin } from './judge.ts';

const headings = [
  'Fault',
  'Times',
  'Switches',
  'Gap p50, ms',
  'Gap max, ms',
  'Overlaps',
  'Overlaps without gate',
];

/** The figures of all faults by kind, and what was not as it is promised. */
export function faultReport(rows: readonly FaultRow[]): Outcome {
  const kinds = new Map<string, FaultRow[]>();
  for (const row of rows) kinds.set(row.fault.kind, [...(kinds.get(row.fault.kind) ?? []), row]);
  const sum = (some: readonly FaultRow[], of: (row: FaultRow) => number): number =>
    some.reduce((total, row) => total + of(row), 0);
  const overlapped = (some: readonly FaultRow[], hasGate: boolean): string => {
    const these = some.filter((row) => row.hasGate === hasGate);
    const bad = these.filter(({ overlapping }) => overlapping > 0);
    return these.length === 0 ? '-' : `${bad.length} of ${these.length}`;
  };
  const cells = [...kinds].map(([kind, some]) => {
    const gaps = some.map(({ gap }) => gap);
    return [
      ...[kind, String(some.length), String(sum(some, ({ switches }) => switches))],
      ...[median(gaps).toFixed(0), Math.max(...gaps).toFixed(0)],
      ...[overlapped(some, true), overlapped(some, false)],
    ];
  });
  const total = ['all', String(rows.length), String(sum(rows, ({ switches }) => switches)), '', ''];
  cells.push([...total, overlapped(rows, true), overlapped(rows, false)]);
  const polled = rows.flatMap(({ polledFor }) => (polledFor === undefined ? [] : [polledFor]));
  const longest = Math.max(0, ...rows.map(({ overlap }) => overlap));
  return {
    lines: [
      ...table([headings, ...cells]),
      ...(polled.length > 0 ? [`Without a majority polling went on for ${middleAndMost(polled)}.`] : []),
      `The longest overlap lasted ${longest.toFixed(0)} ms.`,
    ],
    broken: [...rows.flatMap((row) => brokenBy(row, stopsWithin)), ...slowHalves(rows)],
  };
}

/** Classes of faults of which half took longer than is promised of half of them. */
function slowHalves(rows: readonly FaultRow[]): string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (!('half' in limit)) return [];
    const gaps = rows.filter(({ fault }) => fault.limit === name).map(({ gap }) => gap);
    const half = median(gaps);
    return half > limit.half
      ? [`half of the faults "${name}" took more than ${limit.half} ms: p50 is ${half.toFixed(0)} ms`]
      : [];
  });
}

/** Rows of Markdown, the columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}
