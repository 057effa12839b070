import { join } from 'node:path';
import { Child } from '../kit/child.ts';
import { processesOf } from '../kit/processes.ts';
import { startBroker } from '../world/brokers.ts';
import { FastDevice } from './fast-device.ts';
import { Listener } from './listener.ts';
import { warmMessages } from './observation.ts';
import { cpuFigure, measurePublisher } from './polled.ts';
import { costsTogether, openPublisher } from './publisher.ts';
import type { Job, Publisher } from './publisher.ts';
import { driverSettings } from './plant.ts';
import type { MeasureContext } from './setup.ts';

/** The argument of the floor's process, as JSON. */
export interface FloorOptions {
  readonly devicePort: number;
  readonly brokerPort: number;
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  /** Requests in flight. */
  readonly inFlight: number;
}

/** The floor with a device and a broker of its own. */
export async function openFloor(
  { stack }: Pick<MeasureContext, 'stack'>,
  { tags, interval }: Job,
): Promise<Publisher> {
  const device = stack.adopt(await FastDevice.start(), (it) => it.stop());
  const broker = stack.adopt(await startBroker(), (it) => it.stop());
  let child: Child | undefined;
  stack.defer(async () => {
    await child?.stop();
    child?.release();
  });
  const options: FloorOptions = {
    devicePort: device.port,
    brokerPort: broker.port,
    tags,
    interval,
    inFlight: driverSettings.max_in_flight,
  };
  const script = join(import.meta.dirname, 'floor-process.ts');
  return {
    tags,
    interval,
    listener: await Listener.start(stack, broker.port),
    async start() {
      const args = [script, JSON.stringify(options)];
      child = await Child.start(process.execPath, args, { ready: /The floor reads/, group: true });
    },
    processes: () => processesOf(child?.pid ?? 0),
    processName: () => 'floor',
  };
}

/** What the same job costs without a gateway: one process with two bare sockets, which shares no code with the gateway. */
export async function measureFloor(name: string, job: Job, run: MeasureContext): Promise<void> {
  const { tags, interval } = job;
  await measurePublisher({ name, tags, interval }, await openFloor(run, job), run);
}

export const besideFloor = {
  name: 'the floor at the same time, 10k tags @ 100 ms',
  ratio: 'CPU per value of the gateway ÷ that of the floor',
} as const;

/**
 * Gateway and floor do the same job at the same time, so that other work of the machine slows both down: their ratio varies far less than
 * what either of them takes.
 */
export async function measureBesideFloor(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const job = { tags: 10_000, interval: 100 };
  const floor = await openFloor(run, job);
  const window = { messages: quick ? 40 : warmMessages, milliseconds: quick ? 6_000 : 20_000 };
  const both = [await openPublisher(run, job), floor];
  const [gateway = NaN, alone = NaN] = await costsTogether(both, window);
  report.add(besideFloor.name, `${cpuFigure}, gateway`, gateway, 'µs');
  report.add(besideFloor.name, `${cpuFigure}, floor`, alone, 'µs');
  report.add(besideFloor.name, besideFloor.ratio, gateway / alone, '× floor', { most: 1.45 });
}

const growthSizes = [50_000, 100_000, 200_000];

/**
 * Gateways of several sizes do their jobs at the same time, so that other work of the machine slows all of them down. Whether the cost of a
 * value grows with the group shows after a minute, when each works as it will for years.
 */
export async function measureGrowth(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const publishers: Publisher[] = [];
  for (const tags of growthSizes) publishers.push(await openPublisher(run, { tags, interval: 1_000 }));
  const window = quick ? { messages: 20, milliseconds: 20_000 } : { messages: 60, milliseconds: 60_000 };
  const costs = await costsTogether(publishers, window);
  let smaller: string | undefined;
  for (const [index, tags] of growthSizes.entries()) {
    const name = `growth, ${tags / 1000}k tags @ 1 s`;
    report.add(name, cpuFigure, costs[index] ?? NaN, 'µs');
    report.addGrowth(name, cpuFigure, smaller);
    smaller = name;
  }
}
