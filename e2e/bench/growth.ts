import { cpuFigure, uploadsOf } from './data-path.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, startDriver } from './stand.ts';
import { costsTogether } from './together.ts';
import type { Publisher } from './together.ts';

const sizes = [50_000, 100_000, 200_000];
/** Milliseconds. */
const interval = 1_000;

export const growth = 'growth of a large group @ 1 s';

const nameOf = (tags: number): string => `growth, ${tags / 1000}k tags @ 1 s`;

/**
 * Gateways of several sizes do their jobs at the same time, so that what else the machine does bears on all of them: whether the cost of a value
 * grows with the group shows after a minute, when each works as it will for years.
 */
export async function measureGrowth({ report, quick, ...run }: Run): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const publishers: Publisher[] = [];
  for (const tags of sizes) {
    const stand = opened.use(await openStand(run));
    await addDriver(stand, 'plant');
    await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
    publishers.push({ tags, uploads: uploadsOf(stand, () => startDriver(stand, 'plant')) });
  }
  const window = quick ? { messages: 20, milliseconds: 20_000 } : { messages: 60, milliseconds: 60_000 };
  const costs = await costsTogether(publishers, window);
  for (const [index, { tags }] of publishers.entries()) {
    report.add(nameOf(tags), cpuFigure, costs[index] ?? NaN, 'µs');
    const smaller = sizes[index - 1];
    if (smaller !== undefined) report.addGrowth(nameOf(tags), cpuFigure, nameOf(smaller));
  }
}
