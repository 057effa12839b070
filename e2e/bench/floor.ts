import { join } from 'node:path';
import { startBroker } from '../brokers.ts';
import { Child } from '../child.ts';
import { processesOf } from '../processes.ts';
import { measureUploads } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import { FastDevice } from './fast-device.ts';
import type { Run } from './run.ts';

/** What the process of the floor is told, as JSON. */
export interface FloorOptions {
  readonly devicePort: number;
  readonly brokerPort: number;
  readonly tags: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly topic: string;
}

/**
 * What the same job costs without a gateway: one process that reads with the product's driver, writes the product's JSON
 * and publishes as the product does, without a host, runners and what goes between them.
 */
export async function measureFloor(name: string, test: DataPathCase, run: Run): Promise<void> {
  const device = await FastDevice.start();
  const broker = await startBroker();
  let child: Child | undefined;
  try {
    const start = async (): Promise<void> => {
      const options: FloorOptions = {
        devicePort: device.port,
        brokerPort: broker.port,
        tags: test.tags,
        interval: test.interval,
        topic: 'bench',
      };
      const script = join(import.meta.dirname, 'floor-process.ts');
      child = await Child.start(process.execPath, ['--conditions=source', script, JSON.stringify(options)], {
        ready: /The floor reads/,
        group: true,
      });
    };
    const processes = async (): ReturnType<typeof processesOf> => processesOf(child?.pid ?? 0);
    const uploads = { brokerPort: broker.port, start, processes, processName: () => 'floor' };
    await measureUploads({ name, tags: test.tags, interval: test.interval, hasTargets: false }, uploads, run);
  } finally {
    await child?.stop();
    child?.release();
    await broker.stop();
    await device.stop();
  }
}
