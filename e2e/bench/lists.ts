import { modbusSettings } from '../configure.ts';
import { measureLoad } from './load.ts';
import type { Question } from './connection.ts';
import { driverSettings, int16Tags } from './plant.ts';
import { percentile } from './report.ts';
import type { Run } from './run.ts';
import { addGroup, openStand } from './stand.ts';

const nodes = 100;
const groupsPerNode = 10;
const tagsPerGroup = 100;

/** Milliseconds that a call may take. */
const mostList = 300;
const mostState = 20;

interface Row extends Question {
  readonly name: string;
  /** Milliseconds; the exports and the metrics are no lists and have no target. */
  readonly most?: number;
}

/** Every call that lists something, of a gateway of 100 running nodes, 1000 groups and 100,000 tags. */
export async function measureLists(run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  const { client, device, gateway } = stand;
  const names = Array.from({ length: nodes - 1 }, (_, index) => `plant ${index}`);
  await client.ok('POST', '/node', { name: 'north', plugin: 'MQTT' });
  for (const name of names) {
    await client.ok('POST', '/node', { name, plugin: 'Modbus TCP' });
    const groups = name === 'plant 0' ? groupsPerNode * 2 : groupsPerNode;
    for (let group = 0; group < groups; group += 1)
      await addGroup(stand, name, `group ${group}`, 10_000, int16Tags(tagsPerGroup, group * tagsPerGroup));
    const subscribed = Array.from({ length: groups }, (_, group) => ({
      driver: name,
      group: `group ${group}`,
    }));
    await client.ok('POST', '/subscribes', { app: 'north', groups: subscribed });
    const params = modbusSettings(device.port, driverSettings);
    await client.ok('POST', '/node/setting', { node: name, params });
  }
  const tags = `/tags?node=${encodeURIComponent('plant 0')}&group=${encodeURIComponent('group 0')}`;
  const group = { node: 'plant 0', group: 'group 0' };
  const rows: readonly Row[] = [
    { name: 'GET /node?type=1', method: 'GET', path: '/node?type=1', most: mostList },
    { name: 'GET /group', method: 'GET', path: '/group', most: mostList },
    { name: 'GET /tags', method: 'GET', path: tags, most: mostList },
    { name: 'GET /subscribe', method: 'GET', path: '/subscribe?app=north', most: mostList },
    { name: 'GET /plugin', method: 'GET', path: '/plugin', most: mostList },
    { name: 'POST /read', method: 'POST', path: '/read', body: group, most: mostList },
    { name: 'POST /read/paginate', method: 'POST', path: '/read/paginate', body: group, most: mostList },
    { name: 'GET /global/config', method: 'GET', path: '/global/config' },
    { name: 'GET /global/drivers', method: 'GET', path: '/global/drivers' },
    { name: 'GET /metrics', method: 'GET', path: '/metrics' },
    { name: 'GET /node/state', method: 'GET', path: '/node/state', most: mostState },
    { name: 'GET /node/state?node=', method: 'GET', path: '/node/state?node=north', most: mostState },
  ];
  const port = Number(new URL(gateway.url).port);
  const load = { port, token: client.token ?? '', connections: 1, warmUp: 0.5, seconds: quick ? 2 : 5 };
  for (const { name, most, ...question } of rows) {
    const latencies = await measureLoad({ ...load, question });
    const measurement = `${name}, 100 nodes, 1000 groups, 100k tags`;
    const target = most === undefined ? undefined : { most };
    report.add(measurement, 'latency p50, 1 connection', percentile(latencies, 0.5), 'ms', target);
    report.add(measurement, 'latency p99, 1 connection', percentile(latencies, 0.99), 'ms', target);
  }
}
