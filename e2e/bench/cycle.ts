import { sleep } from '../kit/until.ts';
import { cpuSeconds, warmUp } from './observation.ts';
import { openPublisher } from './publisher.ts';
import type { MeasureContext } from './setup.ts';

const name = 'a cycle of 10 tags @ 100 ms';
export const cycleName = name;

/** What a cycle costs that has next to nothing in it: by process, in milliseconds of CPU a second, of a gateway that is warm. */
export async function measureCycle(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const interval = 100;
  const publisher = await openPublisher(run, { tags: 10, interval });
  await publisher.start();
  await warmUp(run, 1_000 / interval);
  const milliseconds = quick ? 10_000 : 60_000;
  const rows = await publisher.processes();
  const each = (): Promise<number[]> => Promise.all(rows.map((row) => cpuSeconds([row])));
  const before = await each();
  await sleep(milliseconds);
  const costs = (await each()).map((after, index) => after - before[index]!);
  const perSecond = (seconds: number): number => (seconds * 1e6) / milliseconds;
  for (const [index, row] of rows.entries())
    report.add(name, `CPU of ${publisher.processName(row)}`, perSecond(costs[index]!), 'ms a second');
  const sum = costs.reduce((total, cost) => total + cost, 0);
  report.add(name, 'CPU of all processes', perSecond(sum), 'ms a second', { most: 9 });
}
