import { jointMemory } from '../processes.ts';
import type { ProcessRow } from '../processes.ts';
import type { Report, Target } from './report.ts';

/** Adds the memory of each process, and that of all of them, in which pages that they share count once. */
export async function addMemory(
  report: Report,
  measurement: string,
  processes: readonly ProcessRow[],
  nameOf: (row: ProcessRow) => string,
  target?: Target,
): Promise<void> {
  for (const row of processes) report.add(measurement, `RSS ${nameOf(row)}`, row.rss / 1e6, 'MB');
  const { own, files } = await jointMemory(processes.map(({ pid }) => pid));
  report.add(measurement, 'RSS of all processes, shared pages once', (own + files) / 1e6, 'MB', target);
  report.add(measurement, 'of it pages of files, of Node above all', files / 1e6, 'MB');
}
