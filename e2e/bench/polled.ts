import { ControlGroup } from '../kit/control-group.ts';
import { sleep } from '../kit/until.ts';
import { addMemory, observe, periodErrors, warmUp } from './observation.ts';
import { openPublisher } from './publisher.ts';
import type { Job, Publisher } from './publisher.ts';
import type { Target } from './report.ts';
import type { MeasureContext } from './setup.ts';

/** The most that a figure may be. */
interface Targets {
  /** Milliseconds by which a period differs from the interval, p99. */
  readonly period?: number;
  /** Milliseconds, p50. */
  readonly age?: number;
  /** Microseconds of CPU per 1000 values. */
  readonly cost?: number;
  /** What a value costs, as a multiple of what it costs the floor. */
  readonly floor?: number;
  /** Percent of a core. */
  readonly share?: number;
  /** Megabytes. */
  readonly memory?: number;
}

export interface PolledCase extends Job {
  readonly name: string;
  /** Without targets the figures are there to be compared. */
  readonly targets?: Targets | undefined;
  /** The measurement that does the same without a gateway. */
  readonly floor?: string;
  /** The measurement of the next smaller size, which the cost per value is compared with. */
  readonly smaller?: string | undefined;
}

const sizes = [1_000, 10_000, 50_000, 100_000, 200_000];

/** More values a second than these are more than a gateway is for. */
const mostPerSecond = 500_000;

const targetsOf: Readonly<Record<string, Targets>> = {
  '10k tags @ 1 s': { age: 15 },
  '10k tags @ 100 ms': { period: 5, age: 15, cost: 300, floor: 1.45 },
  '50k tags @ 1 s': { memory: 250 },
  '50k tags @ 100 ms': { share: 60, memory: 250, floor: 1.3 },
};

const nameOf = (tags: number, interval: number): string =>
  `${tags / 1000}k tags @ ${interval === 1_000 ? '1 s' : '100 ms'}`;

function dataPathCase(tags: number, interval: number, smaller: number | undefined): PolledCase {
  const name = nameOf(tags, interval);
  const plain = { name, tags, interval, targets: targetsOf[name] };
  // At once a second these rows are of the first minute, and growth.ts compares the sizes.
  if (interval !== 100 || smaller === undefined) return plain;
  return { ...plain, smaller: nameOf(smaller, interval), floor: `floor, ${name}` };
}

/** One group of INT16 tags from the device to a subscriber: the job of the gateway. */
export const dataPathCases: readonly PolledCase[] = sizes.flatMap((tags, index) =>
  [1_000, 100]
    .filter((interval) => (tags * 1000) / interval <= mostPerSecond)
    .map((interval) => dataPathCase(tags, interval, sizes[index - 1])),
);

export const cpuFigure = 'CPU per 1000 values';

/** A small machine: a fifth of a core and 256 MB, for the gateway alone. */
const small = {
  name: '2k tags @ 1 s on a fifth of a core and 256 MB',
  cores: 0.2,
  memory: 256 * 1024 * 1024,
};

export const smallMachineName = small.name;

/** The gateway in a control group that has as much of a machine as a small one has. It takes Linux and root. */
export async function measureSmallMachine(run: MeasureContext): Promise<void> {
  const { name } = small;
  const group = await ControlGroup.make('tagway-bench', small);
  run.stack.defer(() => group.remove());
  const publisher = await openPublisher(
    run,
    { tags: 2_000, interval: 1_000 },
    {
      around: (start) => group.around(start),
    },
  );
  await measurePublisher({ name, tags: 2_000, interval: 1_000 }, publisher, run);
  run.report.add(name, 'memory of the control group, at most', (await group.peakMemory()) / 1e6, 'MB');
}

/** One group of a driver, from a device to a subscriber. */
export async function measurePolled(test: PolledCase, run: MeasureContext): Promise<void> {
  await measurePublisher(test, await openPublisher(run, test), run);
}

/** Measures what arrives at the subscriber of a publisher, and what that costs. */
export async function measurePublisher(
  test: Omit<PolledCase, 'source'>,
  publisher: Publisher,
  run: MeasureContext,
): Promise<void> {
  const { name, tags, interval, targets = {} } = test;
  const { report, quick } = run;
  const seconds = (interval === 100 ? 20 : 30) / (quick ? 4 : 1);
  await publisher.start();
  // At once a second it would take twenty minutes.
  if (interval === 100) await warmUp(run, 1_000 / interval);
  else await sleep(quick ? 3_000 : 6_000);
  const { arrivals, cpu, from, to } = await observe(publisher.listener, publisher.processes, seconds * 1000);

  const first = arrivals[0]?.at ?? from;
  const last = arrivals.at(-1)?.at ?? from;
  // Between the first and the last message, and after the last one.
  const due = Math.round((last - first) / interval) + 1 + Math.max(0, Math.floor((to - last) / interval) - 1);
  const incomplete = arrivals.filter(({ count = tags }) => count < tags).length;
  const kept = (100 * arrivals.length) / Math.max(due, arrivals.length);
  report.add(name, 'cycles kept', kept, '% of cycles', { least: 100 });
  if (incomplete > 0) report.add(name, 'messages with values missing', incomplete, 'messages', { most: 0 });

  const errors = periodErrors(arrivals, interval);
  report.addPercentiles(name, 'publish period |Δ − nominal|', errors, { p99: most(targets.period) });
  const ages = arrivals.map(({ age }) => age).filter((age) => age !== undefined);
  report.addPercentiles(name, 'value age at subscriber', ages, { p50: most(targets.age) });

  const cost = (cpu * 1e6) / ((arrivals.length * tags) / 1000);
  report.add(name, cpuFigure, cost, 'µs', most(targets.cost));
  const floor = test.floor === undefined ? undefined : report.valueOf(test.floor, cpuFigure);
  if (floor !== undefined)
    report.add(name, 'the same beside the floor', cost / floor, '× floor', most(targets.floor));
  report.addGrowth(name, cpuFigure, test.smaller);
  const share = (cpu / ((to - from) / 1000)) * 100;
  report.add(name, 'CPU of the process tree', share, '% of a core', most(targets.share));
  const processes = await publisher.processes();
  await addMemory(report, name, processes, (row) => publisher.processName(row), most(targets.memory));
}

const most = (bound: number | undefined): Target | undefined =>
  bound === undefined ? undefined : { most: bound };
