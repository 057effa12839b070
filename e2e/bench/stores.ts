import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasPostgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { hasMockCluster, MockCluster } from '@tagway/testkit/kafka-cluster';
import { sleep, until } from '../kit/until.ts';
import { int16Tags } from './plant.ts';
import { percentile } from './report.ts';
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

export interface StoresCase {
  readonly name: string;
  readonly groups: number;
}

export const storesCases: readonly StoresCase[] = [
  { name: 'stores, 100 × 100 tags @ 1 s', groups: 100 },
  { name: 'stores, 1 × 10k tags @ 1 s', groups: 1 },
];

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

/** Nanoseconds that the threads of a process have run: the ticks of /proc/PID/stat are too coarse for so little. */
async function timeOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  const files = (await readdir(folder)).map((thread) => readFile(`${folder}/${thread}/schedstat`, 'latin1'));
  return (await Promise.all(files)).reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
}

/** Until what a cycle runs is compiled, which takes some of them. */
const warmUp = 60_000;

/** Each gives a ratio, of which the median counts: what else the machine does falls into some of them. */
const windows = 5;

/**
 * What the apps for stores cost, each beside MQTT in the same gateway at the same time: the time that all threads of the runner ran, in the
 * gateway's code, in Node and in the system.
 */
export async function measureStores({ name, groups }: StoresCase, run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const seconds = quick ? 6 : 20;
  const setup = await openSetup(run, { device: { changing: tags } });
  const { client } = setup;
  const hook = await takeAll(stack);
  const history = await takeAll(stack);
  await addNode(setup, 'plant');
  await addApp(setup, 'uplink', { qos: 1 });
  const add = async (node: string, plugin: string, params: object): Promise<void> => {
    await addNode(setup, node, plugin);
    await client.ok('POST', '/node/setting', { node, params });
  };
  await add('hook', 'HTTP', { url: `http://127.0.0.1:${hook.port}/` });
  await add('history', 'InfluxDB', { url: `http://127.0.0.1:${history.port}`, store: 0, database: 'plant' });
  const apps = ['hook', 'history'];
  if (hasPostgres) {
    const server = stack.use(await PostgresServer.start());
    const params = { host: '127.0.0.1', port: server.port, database: 'plant', user: 'postgres' };
    await add('archive', 'PostgreSQL', params);
    apps.push('archive');
  }
  if (hasMockCluster) {
    const cluster = stack.use(await MockCluster.start());
    await add('stream', 'Kafka', { brokers: `127.0.0.1:${cluster.port}`, create_topics: true });
    apps.push('stream');
  }
  const all = int16Tags(tags);
  for (let index = 0; index < groups; index++) {
    const group = `group${index}`;
    await addGroup(
      setup,
      'plant',
      group,
      interval,
      all.slice((index * tags) / groups, ((index + 1) * tags) / groups),
    );
    await subscribe(setup, 'uplink', 'plant', group);
    for (const app of apps) await client.ok('POST', '/subscribe', { app, driver: 'plant', group });
  }
  await startNode(setup, 'plant');
  await until('both have come', () => hook.bytes > 0 && history.bytes > 0);
  await sleep(warmUp);
  const pids = new Map(
    (await processTree(setup)).map((row) => [
      (processName(setup, row).split(' ')[1] ?? '').toLowerCase(),
      row.pid,
    ]),
  );
  const plugins = ['MQTT', 'HTTP', 'InfluxDB', ...(hasPostgres ? ['PostgreSQL'] : [])];
  if (hasMockCluster) plugins.push('Kafka');
  const times = (): Promise<number[]> =>
    Promise.all(plugins.map((plugin) => timeOf(pids.get(plugin.toLowerCase()) ?? 0)));
  const values = (seconds * 1000 * tags) / interval;
  const sizes = [hook.bytes, history.bytes] as const;
  /** By window and plugin, nanoseconds per value. */
  const costs: number[][] = [];
  let before = await times();
  for (let window = 0; window < windows; window++) {
    await sleep(seconds * 1000);
    const after = await times();
    costs.push(after.map((time, at) => (time - before[at]!) / values));
    before = after;
  }
  const bytes = [NaN, hook.bytes - sizes[0], history.bytes - sizes[1]];
  for (const [at, plugin] of plugins.entries()) {
    const most = at < bytes.length ? 1.5 : 2;
    report.add(
      name,
      `CPU per value, ${plugin}`,
      percentile(
        costs.map((cost) => cost[at]!),
        0.5,
      ),
      'ns',
    );
    if (at === 0) continue;
    report.add(
      name,
      `${plugin} ÷ MQTT`,
      percentile(
        costs.map((cost) => cost[at]! / cost[0]!),
        0.5,
      ),
      '×',
      { most },
    );
    if (at < bytes.length)
      report.add(name, `bytes per value, ${plugin}`, bytes[at]! / (values * windows), 'B');
  }
}
