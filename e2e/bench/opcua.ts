import { Attribute } from '@tagway/schemas';
import { connected, readValues } from '../configure.ts';
import type { TagBody } from '../configure.ts';
import { OpcUaServer } from '../opcua-server.ts';
import { sleep, until } from '../until.ts';
import { measureUploads, uploadsOf } from './data-path.ts';
import type { DataPathCase } from './data-path.ts';
import type { Run } from './run.ts';
import { addGroup, openStand, processName, processTree } from './stand.ts';
import type { Stand } from './stand.ts';

export interface OpcUaCase extends DataPathCase {
  readonly settings: Readonly<Record<string, unknown>>;
}

export const opcUaCases: readonly OpcUaCase[] = [
  { name: 'OPC UA, 10k tags polled @ 1 s', tags: 10_000, interval: 1_000, hasTargets: false, settings: {} },
  {
    name: 'OPC UA, 10k tags monitored @ 100 ms',
    ...{ tags: 10_000, interval: 100, hasTargets: false },
    settings: { update_mode: 1, publishing_interval: 100 },
  },
];

/** Int16 variables of the test server, the first of them its clock. */
function counters(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'clock' : `tag${index}`,
    address: `1!tag${index}`,
    attribute: Attribute.READ,
    type: 3,
  }));
}

/** Adds a driver "plant" with one group; what it returns sets it up, whereupon it runs. */
async function addPlant(
  stand: Stand,
  { url }: OpcUaServer,
  tags: number,
  interval: number,
  settings: Readonly<Record<string, unknown>>,
): Promise<() => Promise<unknown>> {
  await stand.client.ok('POST', '/node', { name: 'plant', plugin: 'OPC UA' });
  await addGroup(stand, 'plant', 'group', interval, counters(tags));
  return () => stand.client.ok('POST', '/node/setting', { node: 'plant', params: { url, ...settings } });
}

/** One group of variables of which a tenth changes every 100 ms, from the server to a subscriber. */
export async function measureOpcUa(test: OpcUaCase, run: Run): Promise<void> {
  const server = await OpcUaServer.start({ counting: test.tags, every: 100 });
  try {
    await using stand = await openStand(run);
    const start = await addPlant(stand, server, test.tags, test.interval, test.settings);
    await measureUploads(test, uploadsOf(stand, start), run);
  } finally {
    await server.stop();
  }
}

/** From the settings of the first node, when there is no runner yet, to its session and its first values; and what it then takes. */
export async function measureOpcUaStart(run: Run): Promise<void> {
  const { report, quick } = run;
  const name = 'OPC UA, 10 tags @ 1 s';
  const server = await OpcUaServer.start({ counting: 10 });
  try {
    await using stand = await openStand(run);
    const start = await addPlant(stand, server, 10, 1_000, {});
    const waitForEnd = async (): Promise<boolean> => (await stand.gateway.runners()).length === 0;
    // Adding tags may have asked the plugin, which is then there already.
    await until('there is no runner', waitForEnd, { within: 60_000 });
    const from = performance.now();
    await start();
    await connected(stand.client, 'plant');
    report.add(name, 'from settings to session, first start', performance.now() - from, 'ms');
    await readValues(stand.client, 'plant', 'group');
    report.add(name, 'from settings to values, first start', performance.now() - from, 'ms');
    await sleep(quick ? 2_000 : 10_000);
    for (const row of await processTree(stand)) {
      const process = processName(stand, row);
      if (process !== 'host') report.add(name, `RSS ${process}`, row.rss / 1e6, 'MB');
    }
  } finally {
    await server.stop();
  }
}
