import { until } from '../until.ts';
import { uploadsOf } from './data-path.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import { ratioOf } from './report.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, startDriver } from './stand.ts';

const sizes = [50_000, 100_000, 200_000];
/** Milliseconds. */
const interval = 1_000;

export const growth = 'growth of a large group @ 1 s';

/**
 * Gateways of several sizes do their jobs at the same time, so that what else the machine does bears on all of them: whether the cost of a value
 * grows with the group shows after a minute, when each works as it will for years.
 */
export async function measureGrowth({ report, quick, ...run }: Run): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const gateways = [];
  for (const tags of sizes) {
    const stand = opened.use(await openStand(run));
    await addDriver(stand, 'plant');
    await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
    const uploads = uploadsOf(stand, () => startDriver(stand, 'plant'));
    const listener = opened.adopt(await Listener.start(uploads.brokerPort, 'bench'), (it) => it.stop());
    await uploads.start();
    gateways.push({ tags, uploads, listener });
  }
  const warm = quick ? 20 : 60;
  for (const { listener } of gateways) {
    let messages = 0;
    const isWarm = async (): Promise<boolean> => (messages += (await listener.take()).length) >= warm;
    await until(`${warm} messages have come`, isWarm, { within: 300_000 });
  }
  const costs = await Promise.all(
    gateways.map(async ({ tags, uploads, listener }) => {
      const { arrivals, cpu } = await observe(listener, uploads.processes, quick ? 20_000 : 60_000);
      return (cpu * 1e9) / (arrivals.length * tags);
    }),
  );
  const nameOf = (tags: number | undefined): string => `${(tags ?? NaN) / 1000}k tags`;
  for (const [at, cost] of costs.entries()) {
    const name = nameOf(sizes[at]);
    report.add(growth, `CPU per 1000 values, ${name}`, cost, 'µs');
    const before = costs[at - 1];
    if (before === undefined) continue;
    report.add(growth, `the same ÷ that of ${nameOf(sizes[at - 1])}`, ratioOf(cost, before), '', {
      most: 1.1,
    });
  }
}
