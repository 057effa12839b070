import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, openStand } from './stand.ts';

/** Adding ten thousand tags, in one call and one by one. Every reply says that the tags are stored. */
export async function measureTags(run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  const { client } = stand;
  await addDriver(stand, 'plant');
  const tags = int16Tags(10_000);
  const from = performance.now();
  await client.ok('POST', '/tags', { node: 'plant', group: 'at once', tags });
  report.add('POST /tags, 10000 tags in one call', 'time', (performance.now() - from) / 1000, 's', {
    most: 0.5,
  });

  const count = quick ? 4_000 : 10_000;
  const times: number[] = [];
  for (const tag of tags.slice(0, count)) {
    const begin = performance.now();
    await client.ok('POST', '/tags', { node: 'plant', group: 'one by one', tags: [tag] });
    times.push(performance.now() - begin);
  }
  const mean = (part: readonly number[]): number => part.reduce((sum, time) => sum + time, 0) / part.length;
  const name = `POST /tags, ${count} tags one by one`;
  const [early, late] = [mean(times.slice(0, 1000)), mean(times.slice(-1000))];
  report.add(name, 'time', (mean(times) * count) / 1000, 's');
  report.add(name, 'per tag, first 1000', early, 'ms');
  report.add(name, 'per tag, last 1000', late, 'ms');
  report.add(name, 'last 1000 ÷ first 1000', late / early, '', { most: 1.25 });
}
