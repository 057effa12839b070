import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { modbusSettings } from '../configure.ts';
import { sleep, until } from '../until.ts';
import { cpuSeconds } from './cpu-time.ts';
import { FastDevice } from './fast-device.ts';
import { Listener } from './listener.ts';
import { driverSettings, int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, openStand, processName, processTree } from './stand.ts';

const tags = 10_000;
/** Milliseconds. */
const interval = 1000;

export interface SparkplugCase {
  readonly name: string;
  /** Tags whose values change in every cycle. */
  readonly changing: number;
}

export const sparkplugCases: readonly SparkplugCase[] = [
  { name: 'Sparkplug, 10k metrics @ 1 s, all changing', changing: tags },
  { name: 'Sparkplug, 10k metrics @ 1 s, 1 % changing', changing: tags / 100 },
];

/** One message, as `size-listener-process.ts` notes it. */
interface Message {
  readonly topic: string;
  readonly size: number;
}

/** The plugin's encoder beside the library of the specification's authors, in one process. */
export async function measureSparkplugEncoder({ report, quick }: Run): Promise<void> {
  const script = join(import.meta.dirname, '../../plugins/sparkplugb/bench/encoder.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=source',
    script,
    quick ? '10' : '40',
  ]);
  const { own, library } = JSON.parse(stdout) as { own: number; library: number };
  const name = 'Sparkplug encoder';
  report.add(name, 'CPU per metric', own, 'ns');
  report.add(name, 'the same, sparkplug-payload', library, 'ns');
  report.add(name, 'sparkplug-payload ÷ own', library / own, '×', { least: 5 });
}

/** One group of INT16 tags from the device to a subscriber, as an edge node. */
export async function measureSparkplug({ name, changing }: SparkplugCase, run: Run): Promise<void> {
  const { report, quick } = run;
  const seconds = quick ? 8 : 30;
  await using stand = await openStand(run);
  const { client, broker } = stand;
  const device = await FastDevice.start({ changing });
  const listener = await Listener.start<Message>(broker.port, 'spBv1.0/#', 'size-listener-process.ts');
  try {
    await addDriver(stand, 'plant');
    await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
    await client.ok('POST', '/node', { name: 'uplink', plugin: 'SparkPlugB' });
    const params = { host: '127.0.0.1', port: broker.port, 'group-id': 'bench', 'node-id': 'edge' };
    await client.ok('POST', '/node/setting', { node: 'uplink', params });
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'plant', group: 'group' });
    const settings = modbusSettings(device.port, driverSettings);
    await client.ok('POST', '/node/setting', { node: 'plant', params: settings });
    await until('data arrive', async () =>
      (await listener.take()).some(({ topic }) => topic.includes('/DDATA/')),
    );
    await sleep(2000);
    const runner = (await processTree(stand)).filter((row) =>
      /^runner sparkplug/i.test(processName(stand, row)),
    );
    await listener.take();
    const before = await cpuSeconds(runner);
    await sleep(seconds * 1000);
    const cpu = (await cpuSeconds(runner)) - before;
    const messages = await listener.take();
    report.add(name, 'cycles kept', (100 * messages.length * interval) / (seconds * 1000), '% of cycles');
    report.add(
      name,
      'bytes per message',
      messages.reduce((sum, { size }) => sum + size, 0) / messages.length,
      'B',
    );
    report.add(name, 'CPU of the runner per cycle', (cpu * 1000) / seconds, 'ms');
    report.add(name, 'CPU of the runner per 1000 tags', (cpu * 1e6) / seconds / (tags / 1000), 'µs');
    for (const row of runner) report.add(name, 'RSS of the runner', row.rss / 1e6, 'MB');
  } finally {
    await listener.stop();
    await device.stop();
  }
}
