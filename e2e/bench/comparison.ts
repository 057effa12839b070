import { readFile } from 'node:fs/promises';
import { ratioOf } from './report.ts';
import type { Figure } from './report.ts';
import { nameOnce, show, showRatio, tableOf } from './table.ts';

/** What `--json` writes of one run. */
export interface RunRecord {
  readonly machine: string;
  readonly quick: boolean;
  readonly driverSettings: object;
  readonly figures: readonly Figure[];
}

/** Reads what an earlier run wrote with `--json`. */
export async function readRecord(path: string): Promise<RunRecord> {
  const record = JSON.parse(await readFile(path, 'utf8')) as Partial<RunRecord>;
  if (!Array.isArray(record.figures) || record.figures.some(({ value }) => value === undefined))
    throw new Error(`${path} is not what --json writes of a run without --against.`);
  return record as RunRecord;
}

/** The figures of this run beside those of an earlier one, as text; what only one of them has is left out. */
export function comparison(now: RunRecord, earlier: RunRecord): string {
  const rows = now.figures.flatMap((row) => {
    const before = earlier.figures.find(
      ({ measurement, figure }) => measurement === row.measurement && figure === row.figure,
    );
    // JSON has no NaN: a figure that could not be measured is null there.
    return before === undefined ? [] : [{ ...row, before: before.value ?? NaN }];
  });
  const lines = rows.map((row, index) => [
    nameOnce(rows, index),
    row.figure,
    show(row.before),
    show(row.value),
    row.unit,
    showRatio(ratioOf(row.value, row.before)),
  ]);
  const head = ['measurement', 'figure', 'earlier', 'now', 'unit', 'now ÷ earlier'];
  const warnings = [
    ...(earlier.machine === now.machine
      ? []
      : [`The earlier run was on another machine: ${earlier.machine}`]),
    ...(earlier.quick === now.quick ? [] : ['One of the two runs was --quick and the other was not.']),
  ];
  return [...warnings, tableOf([head, ...lines], [2, 3, 5])].join('\n');
}
