import { connected } from '../configure.ts';
import { sleep } from '../until.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processName, processTree, startDriver } from './stand.ts';

/** Memory of a gateway that has next to nothing to do. */
export async function measureIdle(run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', 1_000, int16Tags(10));
  await addUplink(stand, 'plant', 'group', 'bench');
  await startDriver(stand, 'plant');
  await connected(stand.client, 'plant');
  await sleep(quick ? 2_000 : 10_000);
  for (const row of await processTree(stand)) {
    const name = processName(stand, row);
    report.add('idle, 10 tags @ 1 s', `RSS ${name}`, row.rss / 1e6, 'MB', {
      most: name === 'host' ? 90 : 60,
    });
  }
}
