import { readValues } from '../kit/configure.ts';
import type { Question } from './connection.ts';
import { measureLoad } from './load.ts';
import { int16Tags } from './plant.ts';
import { percentile } from './report.ts';
import { addGroup, addNode, addUplink, openSetup, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

/** A call, and the least of it per second or the most milliseconds that it may take. */
type Call = readonly [name: string, question: Question, bound?: number];

const read = (group: string): Question => ({
  method: 'POST',
  path: '/read',
  body: { node: 'plant', group },
});
const get = (path: string): Question => ({ method: 'GET', path });

const calls: readonly Call[] = [
  ['GET /version', get('/version'), 15_000],
  ['GET /node/state, 3 nodes', get('/node/state'), 12_000],
  ['POST /read, 100 tags', read('of 100'), 9_000],
  ['POST /read, 1000 tags', read('of 1000'), 3_000],
  ['POST /read, 10000 tags', read('of 10000'), 400],
];

const when = ', 1 connection';

/** Requests per second of the API over eight kept-alive connections, of a gateway that polls. */
export async function measureHttp(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  await addNode(setup, 'plant');
  await addNode(setup, 'spare');
  const sizes = [100, 1_000, 10_000];
  for (const size of sizes) await addGroup(setup, 'plant', `of ${size}`, 1_000, int16Tags(size));
  await addUplink(setup, 'plant', 'of 100');
  await startNode(setup, 'plant');
  for (const size of sizes) await readValues(setup.client, 'plant', `of ${size}`);

  const seconds = quick ? 2 : 6;
  for (const [name, question, least = 0] of calls) {
    const latencies = await measureLoad(setup, question, { connections: 8, warmUp: 1, seconds });
    report.add(name, 'rate, 8 connections', latencies.length / seconds, 'requests/s', { least });
    report.add(name, 'latency p99', percentile(latencies, 0.99), 'ms');
  }
  const name = 'GET /tags, 10000 tags';
  const question = get(`/tags?node=plant&group=${encodeURIComponent('of 10000')}`);
  const latencies = await measureLoad(setup, question, { connections: 1, warmUp: 1, seconds });
  report.addPercentiles(name, 'latency', latencies, { p50: { most: 20 }, when });
}

const first = { node: 'plant 0', group: 'group 0' };
const tagsOfFirst = `/tags?node=${encodeURIComponent(first.node)}&group=${encodeURIComponent(first.group)}`;

/** The exports and the metrics are no lists and have no bound. */
const lists: readonly Call[] = [
  ['GET /node?type=1', get('/node?type=1'), 300],
  ['GET /group', get('/group'), 300],
  ['GET /tags', get(tagsOfFirst), 300],
  ['GET /subscribe', get('/subscribe?app=north'), 300],
  ['GET /plugin', get('/plugin'), 300],
  ['POST /read', { method: 'POST', path: '/read', body: first }, 300],
  ['POST /read/paginate', { method: 'POST', path: '/read/paginate', body: first }, 300],
  ['GET /global/config', get('/global/config')],
  ['GET /global/drivers', get('/global/drivers')],
  ['GET /metrics', get('/metrics')],
  ['GET /node/state', get('/node/state'), 20],
  ['GET /node/state?node=', get('/node/state?node=north'), 20],
];

/** Every call that lists something, of a gateway of 100 running nodes, 1000 groups and 100,000 tags. */
export async function measureLists(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const setup = await openSetup(run);
  await addNode(setup, 'north', 'MQTT');
  for (let index = 0; index < 99; index += 1) {
    const driver = `plant ${index}`;
    await addNode(setup, driver);
    const groups = Array.from({ length: index === 0 ? 20 : 10 }, (_, group) => `group ${group}`);
    for (const [at, group] of groups.entries())
      await addGroup(setup, driver, group, 10_000, int16Tags(100, at * 100));
    const subscribed = groups.map((group) => ({ driver, group }));
    await setup.client.ok('POST', '/subscribes', { app: 'north', groups: subscribed });
    await startNode(setup, driver);
  }
  for (const [name, question, most] of lists) {
    const pressure = { connections: 1, warmUp: 0.5, seconds: quick ? 2 : 5 };
    const latencies = await measureLoad(setup, question, pressure);
    const measurement = `${name}, 100 nodes, 1000 groups, 100k tags`;
    const target = most === undefined ? undefined : { most };
    report.addPercentiles(measurement, 'latency', latencies, { p50: target, p99: target, when });
  }
}
