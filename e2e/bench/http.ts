import { readValues } from '../configure.ts';
import type { Question } from './connection.ts';
import { measureLoad } from './load.ts';
import { int16Tags } from './plant.ts';
import { percentile } from './report.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, startDriver } from './stand.ts';

interface Row extends Question {
  readonly name: string;
  /** Requests per second. */
  readonly least: number;
}

const sizes = [100, 1_000, 10_000];

const rows: readonly Row[] = [
  { name: 'GET /version', method: 'GET', path: '/version', least: 15_000 },
  { name: 'GET /node/state, 3 nodes', method: 'GET', path: '/node/state', least: 12_000 },
  ...sizes.map((size, index) => ({
    name: `POST /read, ${size} tags`,
    method: 'POST' as const,
    path: '/read',
    body: { node: 'plant', group: `of ${size}` },
    least: [9_000, 3_000, 400][index] ?? 0,
  })),
];

/** Requests per second of the API over eight kept-alive connections, of a gateway that polls. */
export async function measureHttp(run: Run): Promise<void> {
  const { report, quick } = run;
  await using stand = await openStand(run);
  const { client, gateway } = stand;
  await addDriver(stand, 'plant');
  await addDriver(stand, 'spare');
  for (const size of sizes) await addGroup(stand, 'plant', `of ${size}`, 1_000, int16Tags(size));
  await addUplink(stand, 'plant', 'of 100', 'bench');
  await startDriver(stand, 'plant');
  for (const size of sizes) await readValues(client, 'plant', `of ${size}`);

  const seconds = quick ? 2 : 6;
  const port = Number(new URL(gateway.url).port);
  const load = { port, token: client.token ?? '', warmUp: 1, seconds };
  for (const { name, least, ...question } of rows) {
    const latencies = await measureLoad({ ...load, connections: 8, question });
    report.add(name, 'rate, 8 connections', latencies.length / seconds, 'requests/s', { least });
    report.add(name, 'latency p99', percentile(latencies, 0.99), 'ms');
  }
  const path = `/tags?node=plant&group=${encodeURIComponent('of 10000')}`;
  const latencies = await measureLoad({ ...load, connections: 1, question: { method: 'GET', path } });
  report.add('GET /tags, 10000 tags', 'latency p50, 1 connection', percentile(latencies, 0.5), 'ms', {
    most: 20,
  });
  report.add('GET /tags, 10000 tags', 'latency p99, 1 connection', percentile(latencies, 0.99), 'ms');
}
