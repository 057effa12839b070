import { connected } from '../configure.ts';
import { sleep } from '../until.ts';
import { addMemory } from './memory.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processName, processTree, startDriver } from './stand.ts';

/** Memory of a gateway that has nothing to do, and of one that has next to nothing to do. */
export async function measureIdle(run: Run): Promise<void> {
  const { report, quick } = run;
  // V8 tidies up eight seconds after the last work.
  const settle = (): Promise<void> => sleep(quick ? 2_000 : 15_000);
  await using stand = await openStand(run);
  const tell = async (name: string, most: number): Promise<void> => {
    await settle();
    const processes = await processTree(stand);
    await addMemory(report, name, processes, (row) => processName(stand, row), { most });
  };
  await tell('idle, no nodes', 70);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', 1_000, int16Tags(10));
  await addUplink(stand, 'plant', 'group', 'bench');
  await startDriver(stand, 'plant');
  await connected(stand.client, 'plant');
  await tell('idle, one driver and one app, 10 tags @ 1 s', 150);
}
