import type { TagValue } from '../configure.ts';
import { until } from '../until.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, startDriver } from './stand.ts';

const groupSize = 10_000;

/** From the start of the process to the first answer and to the first values, with tags stored and a driver to start. */
export async function measureStartUp(count: number, run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  const { gateway } = stand;
  await addDriver(stand, 'plant');
  const groups = Array.from({ length: count / groupSize }, (_, index) => ({
    name: `group ${index}`,
    tags: int16Tags(groupSize, index * groupSize),
  }));
  for (const { name, tags } of groups) await addGroup(stand, 'plant', name, 1_000, tags);
  await startDriver(stand, 'plant');

  const answers: number[] = [];
  const firsts: number[] = [];
  const alls: number[] = [];
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    await gateway.stop();
    const from = performance.now();
    await gateway.start();
    const client = gateway.anonymous();
    await client.ok('POST', '/ping');
    answers.push(performance.now() - from);
    await client.login();
    const hasValue = async ({ name, tags }: (typeof groups)[number]): Promise<boolean> => {
      const query = { name: tags.at(-1)?.name };
      const { tags: read } = await client.ok<{ tags: TagValue[] }>('POST', '/read', {
        node: 'plant',
        group: name,
        query,
      });
      return read.length > 0 && read.every(({ error }) => error === undefined);
    };
    const waiting = [...groups];
    await until(
      'all groups have values',
      async () => {
        while (waiting[0] !== undefined && (await hasValue(waiting[0]))) {
          if (firsts.length === round) firsts.push(performance.now() - from);
          waiting.shift();
        }
        // Whichever comes first counts.
        if (firsts.length === round && (await Promise.all(waiting.map(hasValue))).includes(true))
          firsts.push(performance.now() - from);
        return waiting.length === 0;
      },
      { within: 60_000, every: 5 },
    );
    alls.push(performance.now() - from);
  }
  const least = (times: readonly number[]): number => Math.min(...times);
  const name = `start-up, ${count / 1000}k tags stored`;
  report.add(name, 'to the first answer', least(answers), 'ms', count === 10_000 ? { most: 400 } : undefined);
  report.add(name, 'to the first value', least(firsts), 'ms', count === 10_000 ? { most: 1200 } : undefined);
  report.add(name, 'to values of every tag', least(alls), 'ms');
}
