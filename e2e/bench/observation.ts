import { readdir, readFile } from 'node:fs/promises';
import { jointMemory } from '../kit/processes.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { sleep } from '../kit/until.ts';
import type { Arrival, Listener } from './listener.ts';
import type { Report, Target } from './report.ts';
import type { MeasureContext } from './setup.ts';

/** Messages after which V8 has compiled what runs once for each of them; it does so late (host/src/core/system/v8-flags.ts). */
export const warmMessages = 1_200;

/**
 * Waits before a window begins at something that comes several times a second. A gateway runs for years, so a whole run watches one that is
 * warm; a quick one shows what the first seconds after a start cost.
 */
export const warmUp = ({ quick }: Pick<MeasureContext, 'quick'>, perSecond: number): Promise<void> =>
  sleep(quick ? 3_000 : Math.max(10_000, (warmMessages / perSecond) * 1_000));

/** What came to a subscriber in a stretch of time, and what that cost. */
export interface Observation {
  readonly arrivals: readonly Arrival[];
  /** Milliseconds of the system's monotonic clock. */
  readonly from: number;
  readonly to: number;
  /** Seconds of CPU time of the processes. */
  readonly cpu: number;
}

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Watches a subscriber and some processes while `work` lasts: a number of milliseconds, or until it resolves. */
export async function observe(
  listener: Listener,
  processes: () => Promise<readonly ProcessRow[]>,
  work: number | (() => Promise<unknown>),
): Promise<Observation> {
  await listener.take();
  const from = now();
  const before = await cpuSeconds(await processes());
  await (typeof work === 'number' ? sleep(work) : work());
  const to = now();
  const after = await cpuSeconds(await processes());
  const arrivals = (await listener.take()).filter(({ at }) => at >= from && at < to);
  return { arrivals, from, to, cpu: after - before };
}

/** By how many milliseconds each message came earlier or later after the one before it than it should. */
export function periodErrors(arrivals: readonly Arrival[], interval: number): number[] {
  return arrivals.slice(1).map(({ at }, index) => Math.abs(at - (arrivals[index]?.at ?? at) - interval));
}

/**
 * Seconds of CPU time that the threads of these processes have taken. Linux counts it in nanoseconds here, and in
 * hundredths of a second in a process's `stat`, which is too coarse for a cheap process in a short window. A thread that has
 * ended is no longer counted, so compare times between which none ends; runtimes keep theirs.
 */
export async function cpuSeconds(processes: readonly Pick<ProcessRow, 'pid' | 'cpu'>[]): Promise<number> {
  const seconds = await Promise.all(processes.map(secondsOf));
  return seconds.reduce((sum, part) => sum + part, 0);
}

async function secondsOf({ pid, cpu }: Pick<ProcessRow, 'pid' | 'cpu'>): Promise<number> {
  const folder = `/proc/${pid}/task`;
  try {
    const threads = await readdir(folder);
    const texts = await Promise.all(
      threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8')),
    );
    return texts.reduce((sum, text) => sum + Number(text.split(' ', 1)[0]), 0) / 1e9;
  } catch {
    return cpu; // A kernel without statistics of its scheduler.
  }
}

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
