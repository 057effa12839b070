import { proportionalMemory } from '../processes.ts';
import { sleep } from '../until.ts';
import { Listener } from './listener.ts';
import type { Arrival } from './listener.ts';
import { percentile } from './report.ts';
import type { Report } from './report.ts';
import {
  addDriver,
  addGroup,
  addUplink,
  int16Tags,
  openStand,
  processName,
  processTree,
  startDriver,
} from './stand.ts';
import type { Stand } from './stand.ts';

export interface DataPathCase {
  readonly name: string;
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  /** The targets are for Modbus; other figures are there to be compared. */
  readonly hasTargets: boolean;
}

const sizes = [1_000, 10_000, 50_000];

export const dataPathCases: readonly DataPathCase[] = sizes.flatMap((tags) =>
  [1_000, 100].map((interval) => ({
    name: `${tags / 1000}k tags @ ${interval === 1_000 ? '1 s' : '100 ms'}`,
    tags,
    interval,
    hasTargets: true,
  })),
);

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

async function cpuSeconds(stand: Stand): Promise<number> {
  return (await processTree(stand)).reduce((sum, { cpu }) => sum + cpu, 0);
}

/** One group of INT16 tags from the device to a subscriber: the job of the gateway. */
export async function measureDataPath(test: DataPathCase, report: Report, quick: boolean): Promise<void> {
  await using stand = await openStand();
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', test.interval, int16Tags(test.tags));
  await measureUploads(test, stand, () => startDriver(stand, 'plant'), report, quick);
}

/** Starts a driver "plant" whose one group "group" is not read yet, and measures what arrives at a subscriber. */
export async function measureUploads(
  test: DataPathCase,
  stand: Stand,
  start: () => Promise<unknown>,
  report: Report,
  quick: boolean,
): Promise<void> {
  const { name, tags, interval } = test;
  const seconds = (interval === 100 ? 20 : 30) / (quick ? 4 : 1);
  const listener = await Listener.start(stand.broker.port, 'bench');
  try {
    await addUplink(stand, 'plant', 'group', 'bench');
    await start();
    await sleep(quick ? 3_000 : 6_000);
    await listener.take();
    const [from, cpuBefore] = [now(), await cpuSeconds(stand)];
    await sleep(seconds * 1000);
    const [to, cpu] = [now(), (await cpuSeconds(stand)) - cpuBefore];
    const processes = await processTree(stand);
    const arrivals = await listener.take();
    evaluate(
      test,
      report,
      arrivals.filter(({ at }) => at >= from && at < to),
      cpu,
      from,
      to,
    );
    for (const row of processes) report.add(name, `RSS ${processName(stand, row)}`, row.rss / 1e6, 'MB');
    const limit = tags === 50_000 ? { most: 250 } : undefined;
    const shares = await Promise.all(processes.map(({ pid }) => proportionalMemory(pid)));
    report.add(
      name,
      'RSS of all processes',
      processes.reduce((sum, { rss }) => sum + rss, 0) / 1e6,
      'MB',
      limit,
    );
    report.add(
      name,
      'the same, shared pages once',
      shares.reduce((sum, share) => sum + share, 0) / 1e6,
      'MB',
      limit,
    );
  } finally {
    await listener.stop();
  }
}

function evaluate(
  test: DataPathCase,
  report: Report,
  arrivals: readonly Arrival[],
  cpu: number,
  from: number,
  to: number,
): void {
  const { name, tags, interval, hasTargets } = test;
  const first = arrivals[0]?.at ?? from;
  const last = arrivals.at(-1)?.at ?? from;
  // Between the first and the last message, and after the last one.
  const due = Math.round((last - first) / interval) + 1 + Math.max(0, Math.floor((to - last) / interval) - 1);
  const incomplete = arrivals.filter(({ values }) => values !== undefined && values < tags).length;
  report.add(name, 'cycles kept', arrivals.length, 'messages');
  report.add(name, 'cycles missed', Math.max(0, due - arrivals.length), 'messages', { most: 0 });
  if (incomplete > 0) report.add(name, 'messages with values missing', incomplete, 'messages', { most: 0 });

  const deviations = arrivals
    .slice(1)
    .map(({ at }, index) => Math.abs(at - (arrivals[index]?.at ?? at) - interval));
  const judged = hasTargets && tags === 10_000 && interval === 100;
  report.add(name, 'publish period |Δ − nominal| p50', percentile(deviations, 0.5), 'ms');
  report.add(
    name,
    'publish period |Δ − nominal| p99',
    percentile(deviations, 0.99),
    'ms',
    judged ? { most: 5 } : undefined,
  );

  const ages = arrivals.map(({ age }) => age).filter((age) => age !== undefined);
  report.add(
    name,
    'value age at subscriber p50',
    percentile(ages, 0.5),
    'ms',
    hasTargets && tags === 10_000 ? { most: 15 } : undefined,
  );
  report.add(name, 'value age at subscriber p99', percentile(ages, 0.99), 'ms');

  const target = judged ? { most: 300 } : undefined;
  report.add(name, 'CPU per 1000 values', (cpu * 1e6) / ((arrivals.length * tags) / 1000), 'µs', target);
  const share = (cpu / ((to - from) / 1000)) * 100;
  report.add(
    name,
    'CPU of the process tree',
    share,
    '% of a core',
    tags === 50_000 && interval === 100 ? { most: 60 } : undefined,
  );
}
