import type { ProcessRow } from '../processes.ts';
import { sleep } from '../until.ts';
import { Listener } from './listener.ts';
import { addMemory } from './memory.ts';
import { observe, periodErrors } from './observation.ts';
import type { Observation } from './observation.ts';
import { int16Tags } from './plant.ts';
import { percentile } from './report.ts';
import type { Report } from './report.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processName, processTree, startDriver } from './stand.ts';
import type { Stand } from './stand.ts';
import { warmUp } from './warm-up.ts';

export interface DataPathCase {
  readonly name: string;
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  /** The targets are for Modbus; other figures are there to be compared. */
  readonly hasTargets: boolean;
  /** Name of the measurement that does the same without a gateway. */
  readonly floor?: string;
  /** Name of the measurement of the next smaller size, which the cost per value is compared with. */
  readonly smaller?: string;
}

/** Whoever publishes what is measured: the gateway, or what takes its place. */
export interface Uploads {
  readonly brokerPort: number;
  /** Starts it; it then publishes at the topic "bench". */
  start(): Promise<unknown>;
  /** The processes whose CPU time and memory count. */
  processes(): Promise<readonly ProcessRow[]>;
  processName(row: ProcessRow): string;
}

const sizes = [1_000, 10_000, 50_000, 100_000, 200_000];

/** More values a second than these are more than a gateway is for. */
const mostPerSecond = 500_000;

const nameOf = (tags: number, interval: number): string =>
  `${tags / 1000}k tags @ ${interval === 1_000 ? '1 s' : '100 ms'}`;

export const dataPathCases: readonly DataPathCase[] = sizes.flatMap((tags, index) =>
  [1_000, 100]
    .filter((interval) => (tags * 1000) / interval <= mostPerSecond)
    .map((interval) => {
      const name = nameOf(tags, interval);
      const hasFloor = tags >= 10_000 && interval === 100;
      const smaller = sizes[index - 1];
      return {
        ...{ name, tags, interval, hasTargets: true },
        ...(hasFloor && { floor: `floor, ${name}` }),
        // At once a second these rows are of the first minute, and growth.ts compares the sizes.
        ...(smaller !== undefined && interval === 100 && { smaller: nameOf(smaller, interval) }),
      };
    }),
);

export const cpuFigure = 'CPU per 1000 values';

/** One group of INT16 tags from the device to a subscriber: the job of the gateway. */
export async function measureDataPath(test: DataPathCase, run: Run): Promise<void> {
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', test.interval, int16Tags(test.tags));
  await measureUploads(
    test,
    uploadsOf(stand, () => startDriver(stand, 'plant')),
    run,
  );
}

/** The uploads of a gateway that has a driver "plant" with one group "group", which `start` lets it read. */
export function uploadsOf(stand: Stand, start: () => Promise<unknown>): Uploads {
  return {
    brokerPort: stand.broker.port,
    async start() {
      await addUplink(stand, 'plant', 'group', 'bench');
      await start();
    },
    processes: () => processTree(stand),
    processName: (row) => processName(stand, row),
  };
}

/** Measures what arrives at a subscriber, and what that costs. */
export async function measureUploads(test: DataPathCase, uploads: Uploads, run: Run): Promise<void> {
  const { name, tags, interval, hasTargets } = test;
  const { report, quick } = run;
  const seconds = (interval === 100 ? 20 : 30) / (quick ? 4 : 1);
  const listener = await Listener.start(uploads.brokerPort, 'bench');
  try {
    await uploads.start();
    // At once a second it would take twenty minutes.
    if (interval === 100) await warmUp(run, 1_000 / interval);
    else await sleep(quick ? 3_000 : 6_000);
    evaluate(test, report, await observe(listener, uploads.processes, seconds * 1000));
    const processes = await uploads.processes();
    const most = hasTargets && tags === 50_000 ? { most: 250 } : undefined;
    await addMemory(report, name, processes, (row) => uploads.processName(row), most);
  } finally {
    await listener.stop();
  }
}

function evaluate(test: DataPathCase, report: Report, observation: Observation): void {
  const { arrivals, cpu, from, to } = observation;
  const { name, tags, interval, hasTargets } = test;
  const first = arrivals[0]?.at ?? from;
  const last = arrivals.at(-1)?.at ?? from;
  // Between the first and the last message, and after the last one.
  const due = Math.round((last - first) / interval) + 1 + Math.max(0, Math.floor((to - last) / interval) - 1);
  const incomplete = arrivals.filter(({ values }) => values !== undefined && values < tags).length;
  const kept = (100 * arrivals.length) / Math.max(due, arrivals.length);
  report.add(name, 'cycles kept', kept, '% of cycles', { least: 100 });
  if (incomplete > 0) report.add(name, 'messages with values missing', incomplete, 'messages', { most: 0 });

  const deviations = periodErrors(observation, interval);
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

  const cost = (cpu * 1e6) / ((arrivals.length * tags) / 1000);
  report.add(name, cpuFigure, cost, 'µs', judged ? { most: 300 } : undefined);
  const floor = test.floor === undefined ? undefined : report.valueOf(test.floor, cpuFigure);
  if (floor !== undefined)
    report.add(name, 'the same beside the floor', cost / floor, '× floor', { most: 2 });
  if (test.smaller !== undefined) report.addGrowth(name, cpuFigure, test.smaller);
  const share = (cpu / ((to - from) / 1000)) * 100;
  report.add(
    name,
    'CPU of the process tree',
    share,
    '% of a core',
    hasTargets && tags === 50_000 && interval === 100 ? { most: 60 } : undefined,
  );
}
