import { sleep } from '../until.ts';
import { cpuFigure } from './data-path.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addApp, addDriver, addGroup, openStand, processTree, startDriver } from './stand.ts';

export interface AppsCase {
  readonly name: string;
  readonly apps: number;
  readonly smaller?: string;
}

const tags = 10_000;
/** Milliseconds. */
const interval = 100;

const sizes = [1, 5, 20];
const nameOf = (apps: number): string => `${apps} app${apps === 1 ? '' : 's'} on one group of 10k @ 100 ms`;

export const appsCases: readonly AppsCase[] = sizes.map((apps, index) => {
  const smaller = sizes[index - 1];
  return { name: nameOf(apps), apps, ...(smaller !== undefined && { smaller: nameOf(smaller) }) };
});

/** One group to several MQTT apps of one format, each with its own connection to the broker. */
export async function measureApps({ name, apps, smaller }: AppsCase, run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
  const listener = await Listener.start(stand.broker.port, 'bench/+');
  try {
    for (let index = 0; index < apps; index += 1) {
      const app = `uplink ${index}`;
      await addApp(stand, app);
      const params = { topic: `bench/${index}` };
      await stand.client.ok('POST', '/subscribe', { app, driver: 'plant', group: 'group', params });
    }
    await startDriver(stand, 'plant');
    await sleep(quick ? 3_000 : 6_000);
    const processes = (): ReturnType<typeof processTree> => processTree(stand);
    const { arrivals, cpu, from, to } = await observe(listener, processes, quick ? 5_000 : 20_000);
    const due = (apps * (to - from)) / interval;
    const kept = Math.min(100, (100 * arrivals.length) / due);
    report.add(name, 'messages kept', kept, '% of messages', { least: 99 });
    report.add(name, cpuFigure, (cpu * 1e9) / (arrivals.length * tags), 'µs');
    if (smaller !== undefined) report.addGrowth(name, cpuFigure, smaller);
    report.add(name, 'CPU per sample', (cpu * 1e3) / (arrivals.length / apps), 'ms');
  } finally {
    await listener.stop();
  }
}
