import { int16Tags } from './plant.ts';
import { addNode, openSetup } from './setup.ts';
import type { MeasureContext } from './setup.ts';

const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;

/** Adding ten thousand tags, in one call and one by one. Every reply says that the tags are stored. */
export async function measureTags(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  await addNode(setup, 'plant');
  const tags = int16Tags(10_000);
  /** Milliseconds. */
  const add = async (group: string, some: typeof tags): Promise<number> => {
    const from = performance.now();
    await setup.client.ok('POST', '/tags', { node: 'plant', group, tags: some });
    return performance.now() - from;
  };
  const atOnce = (await add('at once', tags)) / 1000;
  report.add('POST /tags, 10000 tags in one call', 'time', atOnce, 's', { most: 0.5 });

  const count = quick ? 4_000 : 10_000;
  const times: number[] = [];
  for (const tag of tags.slice(0, count)) times.push(await add('one by one', [tag]));
  const name = `POST /tags, ${count} tags one by one`;
  const early = mean(times.slice(0, 1000));
  const late = mean(times.slice(-1000));
  report.add(name, 'time', (mean(times) * count) / 1000, 's');
  report.add(name, 'per tag, first 1000', early, 'ms');
  report.add(name, 'per tag, last 1000', late, 'ms');
  report.add(name, 'last 1000 ÷ first 1000', late / early, '', { most: 1.25 });
}
