import { join } from 'node:path';
import { startBroker } from '../brokers.ts';
import { Child } from '../child.ts';
import { processesOf } from '../processes.ts';
import { cpuFigure, measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase, Uploads } from './data-path.ts';
import { FastDevice } from './fast-device.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, startDriver } from './stand.ts';
import { costsTogether } from './together.ts';
import { warmMessages } from './warm-up.ts';

/** What the process of the floor is told, as JSON. */
export interface FloorOptions {
  readonly devicePort: number;
  readonly brokerPort: number;
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly topic: string;
}

type Job = Pick<DataPathCase, 'tags' | 'interval'>;

/** The floor with a device and a broker of its own. */
interface Floor extends AsyncDisposable {
  readonly uploads: Uploads;
}

export async function openFloor({ tags, interval }: Job): Promise<Floor> {
  await using opened = new AsyncDisposableStack();
  const device = opened.adopt(await FastDevice.start(), (it) => it.stop());
  const broker = opened.adopt(await startBroker(), (it) => it.stop());
  let child: Child | undefined;
  opened.defer(async () => {
    await child?.stop();
    child?.release();
  });
  const start = async (): Promise<void> => {
    const options: FloorOptions = {
      ...{ devicePort: device.port, brokerPort: broker.port, tags, interval },
      topic: 'bench',
    };
    const script = join(import.meta.dirname, 'floor-process.ts');
    child = await Child.start(process.execPath, ['--conditions=source', script, JSON.stringify(options)], {
      ready: /The floor reads/,
      group: true,
    });
  };
  const processes = async (): ReturnType<typeof processesOf> => processesOf(child?.pid ?? 0);
  const held = opened.move();
  return {
    uploads: { brokerPort: broker.port, start, processes, processName: () => 'floor' },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/**
 * What the same job costs without a gateway: one process that reads with the product's driver, writes the product's JSON
 * and publishes as the product does, without a host, runners and what goes between them.
 */
export async function measureFloor(name: string, { tags, interval }: Job, run: Run): Promise<void> {
  await using floor = await openFloor({ tags, interval });
  await measureUploads({ name, tags, interval, hasTargets: false }, floor.uploads, run);
}

export const besideFloor = {
  name: 'the floor at the same time, 10k tags @ 100 ms',
  ratio: 'CPU per value of the gateway ÷ that of the floor',
} as const;

/**
 * Gateway and floor do the same job at the same time, so that what else the machine does bears on both: their ratio varies far less than
 * what either of them takes.
 */
export async function measureBesideFloor(run: Run): Promise<void> {
  const { report, quick } = run;
  const job = { tags: 10_000, interval: 100 };
  await using floor = await openFloor(job);
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', job.interval, int16Tags(job.tags));
  const both = [uploadsOf(stand, () => startDriver(stand, 'plant')), floor.uploads];
  const [gateway = NaN, alone = NaN] = await costsTogether(
    both.map((uploads) => ({ uploads, tags: job.tags })),
    { messages: quick ? 40 : warmMessages, milliseconds: quick ? 6_000 : 20_000 },
  );
  report.add(besideFloor.name, `${cpuFigure}, gateway`, gateway, 'µs');
  report.add(besideFloor.name, `${cpuFigure}, floor`, alone, 'µs');
  report.add(besideFloor.name, besideFloor.ratio, gateway / alone, '× floor', { most: 2 });
}
