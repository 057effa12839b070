import { sleep, until } from '../kit/until.ts';
import { Listener } from './listener.ts';
import { addMemory, observe, periodErrors, warmUp } from './observation.ts';
import { int16Tags } from './plant.ts';
import { cpuFigure } from './polled.ts';
import type { Target } from './report.ts';
import {
  addApp,
  addGroup,
  addNode,
  openSetup,
  processName,
  processTree,
  startNode,
  subscribe,
} from './setup.ts';
import type { MeasureContext } from './setup.ts';

const tags = 30;
/** Milliseconds. */
const interval = 1_000;

export interface NodesCase {
  readonly name: string;
  readonly nodes: number;
  /** Of the milliseconds of CPU time per sample. */
  readonly target?: Target;
  /** Of the milliseconds by which a period differs from the interval, p99. */
  readonly period?: Target;
  readonly smaller?: string;
}

const nameOf = (nodes: number): string => `${nodes} nodes × ${tags} tags @ 1 s`;

export const nodesCases: readonly NodesCase[] = [
  { name: nameOf(10), nodes: 10, target: { most: 0.6 } },
  { name: nameOf(100), nodes: 100, smaller: nameOf(10) },
  { name: nameOf(500), nodes: 500, smaller: nameOf(100), target: { most: 0.2 }, period: { most: 10 } },
  { name: nameOf(1_000), nodes: 1_000, smaller: nameOf(500), target: { most: 0.15 }, period: { most: 10 } },
  { name: nameOf(2_000), nodes: 2_000, smaller: nameOf(1_000) },
];

const setUpFigure = 'setting a node up, five calls';
const sampleFigure = 'CPU per sample';

/** Many small groups, one per node, to one app: what waking up for next to nothing costs, and what one more node does. */
export async function measureNodes(test: NodesCase, run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const { name, nodes, target, period, smaller } = test;
  const setup = await openSetup(run);
  const listener = await Listener.start(run.stack, setup.broker.port, 'bench/+');
  await addApp(setup, 'uplink');
  const start = performance.now();
  for (let index = 0; index < nodes; index += 1) {
    const driver = `plant ${index}`;
    await addNode(setup, driver);
    await startNode(setup, driver);
    await addGroup(setup, driver, 'group', interval, int16Tags(tags));
    await subscribe(setup, 'uplink', driver, 'group', `bench/${index}`);
  }
  // The first of ten waits for the runner's process, 60 ms.
  const most = nodes >= 100 ? { most: 10 } : undefined;
  report.add(name, setUpFigure, (performance.now() - start) / nodes, 'ms', most);
  report.addGrowth(name, setUpFigure, smaller);
  const isWhole = async (): Promise<boolean> => {
    await listener.take();
    await sleep(interval);
    return (await listener.take()).length >= nodes * 0.9;
  };
  await until('every node reports', isWhole, { within: 60_000 });
  await warmUp(run, (nodes * 1_000) / interval);
  const window = quick ? 6_000 : 20_000;
  const { arrivals, cpu, from, to } = await observe(listener, () => processTree(setup), window);
  const due = nodes * Math.floor((to - from) / interval);
  const kept = Math.min(100, (100 * arrivals.length) / due);
  report.add(name, 'samples kept', kept, '% of samples', { least: 100 });
  const errors = [...Map.groupBy(arrivals, ({ topic }) => topic).values()].flatMap((list) =>
    periodErrors(list, interval),
  );
  report.addPercentiles(name, 'publish period |Δ − nominal|', errors, { p99: period });
  report.add(name, sampleFigure, (cpu * 1e3) / arrivals.length, 'ms', target);
  report.addGrowth(name, sampleFigure, smaller);
  report.add(name, 'CPU of the process tree', (cpu * 1e5) / (to - from), '% of a core');
  const processes = await processTree(setup);
  await addMemory(report, name, processes, (row) => processName(setup, row));
}

/** The group that all apps get. */
const large = { tags: 10_000, interval: 100 };

export interface AppsCase {
  readonly name: string;
  readonly apps: number;
  readonly smaller: string | undefined;
}

const appsNames = ['1 app', '5 apps', '20 apps'].map((apps) => `${apps} on one group of 10k @ 100 ms`);

export const appsCases: readonly AppsCase[] = appsNames.map((name, index) => ({
  name,
  apps: Number.parseInt(name),
  smaller: appsNames[index - 1],
}));

/** One group to several MQTT apps of one format, each with its own connection to the broker. */
export async function measureApps({ name, apps, smaller }: AppsCase, run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', large.interval, int16Tags(large.tags));
  const listener = await Listener.start(run.stack, setup.broker.port, 'bench/+');
  for (let index = 0; index < apps; index += 1) {
    await addApp(setup, `uplink ${index}`);
    await subscribe(setup, `uplink ${index}`, 'plant', 'group', `bench/${index}`);
  }
  await startNode(setup, 'plant');
  await sleep(quick ? 3_000 : 6_000);
  const window = quick ? 5_000 : 20_000;
  const { arrivals, cpu, from, to } = await observe(listener, () => processTree(setup), window);
  const due = (apps * (to - from)) / large.interval;
  const kept = Math.min(100, (100 * arrivals.length) / due);
  report.add(name, 'messages kept', kept, '% of messages', { least: 99 });
  report.add(name, cpuFigure, (cpu * 1e9) / (arrivals.length * large.tags), 'µs');
  report.addGrowth(name, cpuFigure, smaller);
  report.add(name, 'CPU per sample', (cpu * 1e3) / (arrivals.length / apps), 'ms');
}
