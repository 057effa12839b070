import { Attribute, DataType } from '@tagway/schemas';
import { modbusSettings } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import { FastDevice, type SeenWrite } from './fast-device.ts';
import { warmUp } from './observation.ts';
import { driverSettings, int16Tags } from './plant.ts';
import { addGroup, addNode, addUplink, openSetup, processName, processTree, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

export const linksName = 'links, 5k rows, 1k changes/s beside 10k tags @ 1 s';

const rows = 5_000;
/** Registers of the source that change ten times a second; the first is the clock of the device. */
const changing = 100;
/** Milliseconds. */
const interval = 100;

/**
 * From the moment in which the device of the source answers until that of the target has the write in its hands, by the clock of the source,
 * which is one of the values that change with every reading.
 */
export async function measureLinks(run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const setup = await openSetup(run);
  const { client } = setup;
  const source = stack.adopt(await FastDevice.start({ changing }), (it) => it.stop());
  const target = stack.adopt(await FastDevice.start(), (it) => it.stop());
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', 1_000, int16Tags(10_000));
  await addUplink(setup, 'plant', 'group');
  await startNode(setup, 'plant');
  await addNode(setup, 'source');
  const sources = int16Tags(rows);
  await addGroup(setup, 'source', 'group', interval, sources);
  await startNode(setup, 'source', modbusSettings(source.port, driverSettings));
  await addNode(setup, 'target');
  const targets = sources.map((tag) => ({ ...tag, attribute: Attribute.WRITE, type: DataType.INT16 }));
  await addGroup(setup, 'target', 'group', interval, targets);
  await startNode(setup, 'target', modbusSettings(target.port, driverSettings));
  let writes: SeenWrite[] = [];
  target.onWrite = (write) => void writes.push(write);
  await addNode(setup, 'links', 'Link');
  const links = sources.map(({ name }) => `tag("source/group/${name}"), tag("target/group/${name}")`);
  await client.ok(
    'POST',
    '/node/setting',
    { node: 'links', params: { links: links.join('\n') } },
    { within: 60_000 },
  );
  await until('all rows are written', async () => writes.length >= rows, { within: 120_000 });
  await warmUp(run, 1_000 / interval);

  const cpuOf = async (): Promise<number> =>
    (await processTree(setup)).find((row) => processName(setup, row).startsWith('runner link'))?.cpu ?? 0;
  const before = await cpuOf();
  const from = performance.now();
  writes = [];
  await sleep(quick ? 10_000 : 60_000);
  const seen = writes;
  const seconds = (performance.now() - from) / 1_000;
  const cpu = (await cpuOf()) - before;
  /** What the monotonic clock is less than the time of the day. */
  const offset = Date.now() - Number(process.hrtime.bigint()) / 1e6;
  const latencies = seen
    .filter(({ address }) => address === 0)
    .map(({ value, at }) => (Math.round(at + offset) - value) & 0xffff);
  report.add(linksName, 'written', seen.length / seconds, 'per second', { least: 950 });
  report.add(linksName, 'CPU of their runner', (cpu / seconds) * 100, '% of a core');
  report.addPercentiles(linksName, 'from the source to the write at the target', latencies, {
    p99: { most: 20 },
  });
}
