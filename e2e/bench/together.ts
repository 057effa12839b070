import { sleep, until } from '../until.ts';
import { cpuSeconds } from './cpu-time.ts';
import type { DataPathCase, Uploads } from './data-path.ts';
import { Listener } from './listener.ts';
import { addMemory } from './memory.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processName, processTree, startDriver } from './stand.ts';
import type { Stand } from './stand.ts';

/**
 * Two gateways do the same job at the same time, each with a device and a broker of its own, and what each of their processes takes is
 * counted over the same windows of time: what else the machine does then bears on both alike. `sides` holds, per gateway, a run for each
 * window.
 */
export async function measureTogether(test: DataPathCase, sides: readonly (readonly Run[])[]): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const stands: Stand[] = [];
  for (const [run] of sides) if (run !== undefined) stands.push(opened.use(await startJob(test, run)));
  const quick = sides[0]?.[0]?.quick ?? false;
  await sleep(quick ? 3_000 : 6_000);
  for (const window of sides[0]?.keys() ?? []) {
    const before = await Promise.all(stands.map(cpuTimes));
    const from = performance.now();
    await sleep(quick ? 3_000 : 10_000);
    const after = await Promise.all(stands.map(cpuTimes));
    const seconds = (performance.now() - from) / 1000;
    for (const [index, side] of sides.entries()) {
      const { report } = side[window] as Run;
      let sum = 0;
      for (const [name, time] of after[index] ?? []) {
        const taken = time - (before[index]?.get(name) ?? 0);
        sum += taken;
        report.add(test.name, `CPU ${name}`, (100 * taken) / seconds, '% of a core');
      }
      report.add(test.name, 'CPU of the process tree', (100 * sum) / seconds, '% of a core');
      const stand = stands[index] as Stand;
      await addMemory(report, test.name, await processTree(stand), (row) => processName(stand, row));
    }
  }
}

async function startJob({ tags, interval }: DataPathCase, run: Run): Promise<Stand> {
  const stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
  await addUplink(stand, 'plant', 'group', 'bench');
  await startDriver(stand, 'plant');
  return stand;
}

/** Seconds of CPU time by process. */
async function cpuTimes(stand: Stand): Promise<Map<string, number>> {
  const processes = await processTree(stand);
  return new Map(
    await Promise.all(
      processes.map(async (row) => [processName(stand, row), await cpuSeconds([row])] as const),
    ),
  );
}

/** Whoever publishes, and how many tags in a message. */
export interface Publisher {
  readonly uploads: Uploads;
  readonly tags: number;
}

/**
 * What a thousand values cost each of those who publish at the same time, in microseconds of CPU, over the same `milliseconds`, which begin
 * after so many `messages` of everyone: counted, not timed as by warmUp, because on a busy machine one may be long in starting.
 */
export async function costsTogether(
  publishers: readonly Publisher[],
  { messages, milliseconds }: { readonly messages: number; readonly milliseconds: number },
): Promise<number[]> {
  await using opened = new AsyncDisposableStack();
  const listeners: Listener[] = [];
  for (const { uploads } of publishers) {
    listeners.push(opened.adopt(await Listener.start(uploads.brokerPort, 'bench'), (it) => it.stop()));
    await uploads.start();
  }
  for (const listener of listeners) {
    let came = 0;
    const isWarm = async (): Promise<boolean> => (came += (await listener.take()).length) >= messages;
    await until(`${messages} messages have come`, isWarm, { within: 300_000 });
  }
  return await Promise.all(
    publishers.map(async ({ uploads, tags }, index) => {
      const { arrivals, cpu } = await observe(listeners[index] as Listener, uploads.processes, milliseconds);
      return (cpu * 1e9) / (arrivals.length * tags);
    }),
  );
}
