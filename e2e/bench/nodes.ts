import { sleep, until } from '../until.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import type { Target } from './report.ts';
import type { Run } from './run.ts';
import { addApp, addDriver, addGroup, openStand, processTree, startDriver } from './stand.ts';
import { warmUp } from './warm-up.ts';

export interface NodesCase {
  readonly name: string;
  readonly nodes: number;
  readonly sample?: Target;
  readonly smaller?: string;
}

const tags = 30;
/** Milliseconds. */
const interval = 1_000;

const sizes = [10, 100, 500, 1_000];
const nameOf = (nodes: number): string => `${nodes} nodes × ${tags} tags @ 1 s`;
/** Milliseconds of CPU time per sample. */
const targets: Readonly<Record<number, number>> = { 10: 0.6, 500: 0.2 };

export const nodesCases: readonly NodesCase[] = sizes.map((nodes, index) => {
  const [smaller, most] = [sizes[index - 1], targets[nodes]];
  return {
    ...{ name: nameOf(nodes), nodes },
    ...(most !== undefined && { sample: { most } }),
    ...(smaller !== undefined && { smaller: nameOf(smaller) }),
  };
});

const setUpFigure = 'setting a node up, five calls';
const sampleFigure = 'CPU per sample';

/** Many small groups, one per node, to one app: what waking up for next to nothing costs, and what one more node does. */
export async function measureNodes(test: NodesCase, run: Run): Promise<void> {
  const { report, quick } = run;
  const { name, nodes, sample, smaller } = test;
  await using stand = await openStand(run);
  const listener = await Listener.start(stand.broker.port, 'bench');
  try {
    await addApp(stand, 'uplink');
    const from = performance.now();
    for (let index = 0; index < nodes; index += 1) {
      const driver = `plant ${index}`;
      await addDriver(stand, driver);
      await startDriver(stand, driver);
      await addGroup(stand, driver, 'group', interval, int16Tags(tags));
      const params = { topic: 'bench' };
      await stand.client.ok('POST', '/subscribe', { app: 'uplink', driver, group: 'group', params });
    }
    // The first of ten waits for the runner's process, 60 ms.
    const target = nodes >= 100 ? { most: 10 } : undefined;
    report.add(name, setUpFigure, (performance.now() - from) / nodes, 'ms', target);
    if (smaller !== undefined) report.addGrowth(name, setUpFigure, smaller);
    const isWhole = async (): Promise<boolean> => {
      await listener.take();
      await sleep(interval);
      return (await listener.take()).length >= nodes * 0.9;
    };
    await until('every node reports', isWhole, { within: 60_000 });
    await warmUp(run, (nodes * 1_000) / interval);
    const processes = (): ReturnType<typeof processTree> => processTree(stand);
    const { arrivals, cpu, from: begin, to } = await observe(listener, processes, quick ? 6_000 : 20_000);
    const due = nodes * Math.floor((to - begin) / interval);
    report.add(name, 'samples kept', Math.min(100, (100 * arrivals.length) / due), '% of samples', {
      least: 99,
    });
    report.add(name, sampleFigure, (cpu * 1e3) / arrivals.length, 'ms', sample);
    if (smaller !== undefined) report.addGrowth(name, sampleFigure, smaller);
    report.add(name, 'CPU of the process tree', (cpu * 1e5) / (to - begin), '% of a core');
  } finally {
    await listener.stop();
  }
}
