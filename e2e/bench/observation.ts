import type { ProcessRow } from '../processes.ts';
import { sleep } from '../until.ts';
import { cpuSeconds } from './cpu-time.ts';
import type { Arrival, Listener } from './listener.ts';

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

/** Watches a subscriber and some processes while `work` lasts: by default so many milliseconds. */
export async function observe(
  listener: Listener,
  processes: () => Promise<readonly ProcessRow[]>,
  work: number | (() => Promise<unknown>),
): Promise<Observation> {
  await listener.take();
  const [from, before] = [now(), await cpuSeconds(await processes())];
  await (typeof work === 'number' ? sleep(work) : work());
  const [to, after] = [now(), await cpuSeconds(await processes())];
  const arrivals = (await listener.take()).filter(({ at }) => at >= from && at < to);
  return { arrivals, from, to, cpu: after - before };
}

/** By how many milliseconds each message came earlier or later after the one before it than it should. */
export function periodErrors({ arrivals }: Observation, interval: number): number[] {
  return arrivals.slice(1).map(({ at }, index) => Math.abs(at - (arrivals[index]?.at ?? at) - interval));
}
