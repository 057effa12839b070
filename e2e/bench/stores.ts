import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sleep, until } from '../kit/until.ts';
import { int16Tags } from './plant.ts';
import {
  addApp,
  addGroup,
  addNode,
  openSetup,
  processName,
  processTree,
  startNode,
  subscribe,
} from './setup.ts';
import type { MeasureContext } from './setup.ts';

const tags = 10_000;
/** Milliseconds. */
const interval = 1000;

/** A server that reads what it is sent and takes it. */
async function takeAll(stack: AsyncDisposableStack): Promise<{ readonly port: number; bytes: number }> {
  const taken = { port: 0, bytes: 0 };
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => (taken.bytes += part.length));
    request.on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  taken.port = (server.address() as AddressInfo).port;
  return taken;
}

/** What the apps for stores cost, each beside MQTT in the same gateway at the same time. */
export async function measureStores(run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const seconds = quick ? 20 : 60;
  const setup = await openSetup(run, { device: { changing: tags } });
  const { client } = setup;
  const hook = await takeAll(stack);
  const history = await takeAll(stack);
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', interval, int16Tags(tags));
  await addApp(setup, 'uplink', { qos: 1 });
  await subscribe(setup, 'uplink', 'plant', 'group');
  const add = async (node: string, plugin: string, params: object): Promise<void> => {
    await addNode(setup, node, plugin);
    await client.ok('POST', '/node/setting', { node, params });
    await client.ok('POST', '/subscribe', { app: node, driver: 'plant', group: 'group' });
  };
  await add('hook', 'HTTP', { url: `http://127.0.0.1:${hook.port}/` });
  const store = { url: `http://127.0.0.1:${history.port}`, store: 0, database: 'plant' };
  await add('history', 'InfluxDB', store);
  await startNode(setup, 'plant');
  await until('both have come', () => hook.bytes > 0 && history.bytes > 0);
  await sleep(quick ? 10_000 : 30_000);
  const cpuOf = async (): Promise<ReadonlyMap<string, number>> =>
    new Map(
      (await processTree(setup)).map((row) => [
        processName(setup, row).split(' ').slice(0, 2).join(' '),
        row.cpu,
      ]),
    );
  const before = await cpuOf();
  const sizes = [hook.bytes, history.bytes] as const;
  await sleep(seconds * 1000);
  const after = await cpuOf();
  const nanoseconds = (name: string): number => {
    const runner = [...after.keys()].find((title) => title.toLowerCase() === `runner ${name}`) ?? '';
    return (
      (((after.get(runner) ?? NaN) - (before.get(runner) ?? NaN)) * 1e9) /
      ((seconds * 1000 * tags) / interval)
    );
  };
  const values = (seconds * 1000 * tags) / interval;
  const mqtt = nanoseconds('mqtt');
  report.add('stores', 'CPU per value, MQTT at QoS 1', mqtt, 'ns');
  for (const [name, plugin, bytes] of [
    ['HTTP', 'http', hook.bytes - sizes[0]],
    ['InfluxDB', 'influxdb', history.bytes - sizes[1]],
  ] as const) {
    report.add('stores', `CPU per value, ${name}`, nanoseconds(plugin), 'ns');
    report.add('stores', `${name} ÷ MQTT`, nanoseconds(plugin) / mqtt, '×', { most: 1.5 });
    report.add('stores', `bytes per value, ${name}`, bytes / values, 'B');
  }
}
