import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addSparkplug } from '../kit/configure.ts';
import type { ProcessRow } from '../kit/processes.ts';
import { sleep, until } from '../kit/until.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import { addGroup, addNode, openSetup, processName, processTree, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

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

/** The plugin's encoder beside the library of the specification's authors, in one process. */
export async function measureSparkplugEncoder({ report, quick }: MeasureContext): Promise<void> {
  const script = join(import.meta.dirname, '../../plugins/sparkplugb/bench/encoder.ts');
  const args = ['--conditions=source', script, quick ? '10' : '40'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { own, library } = JSON.parse(stdout) as { own: number; library: number };
  const name = 'Sparkplug encoder';
  report.add(name, 'CPU per metric', own, 'ns');
  report.add(name, 'the same, sparkplug-payload', library, 'ns');
  report.add(name, 'sparkplug-payload ÷ own', library / own, '×', { least: 5 });
}

/** One group of INT16 tags from the device to a subscriber, as an edge node. */
export async function measureSparkplug(
  { name, changing }: SparkplugCase,
  run: MeasureContext,
): Promise<void> {
  const { report, quick, stack } = run;
  const seconds = quick ? 8 : 30;
  const setup = await openSetup(run, { device: { changing } });
  const { client, broker } = setup;
  const listener = await Listener.start(stack, broker.port, 'spBv1.0/#', 'nothing');
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', interval, int16Tags(tags));
  await addSparkplug(client, 'edge', broker.port, { 'group-id': 'bench' });
  await client.ok('POST', '/subscribe', { app: 'edge', driver: 'plant', group: 'group' });
  await startNode(setup, 'plant');
  const haveCome = async (): Promise<boolean> =>
    (await listener.take()).some(({ topic }) => topic.includes('/DDATA/'));
  await until('data arrive', haveCome);
  await sleep(2000);
  const runners = async (): Promise<ProcessRow[]> =>
    (await processTree(setup)).filter((row) => /^runner sparkplug/i.test(processName(setup, row)));
  const { arrivals, cpu } = await observe(listener, runners, seconds * 1000);
  const bytes = arrivals.reduce((sum, { size }) => sum + size, 0);
  report.add(name, 'cycles kept', (100 * arrivals.length * interval) / (seconds * 1000), '% of cycles');
  report.add(name, 'bytes per message', bytes / arrivals.length, 'B');
  report.add(name, 'CPU of the runner per cycle', (cpu * 1000) / seconds, 'ms');
  report.add(name, 'CPU of the runner per 1000 tags', (cpu * 1e6) / seconds / (tags / 1000), 'µs');
  for (const row of await runners()) report.add(name, 'RSS of the runner', row.rss / 1e6, 'MB');
}
