import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../configure.ts';
import { sleep, until } from '../until.ts';
import { cpuSeconds } from './cpu-time.ts';
import { Listener } from './listener.ts';
import { percentile } from './report.ts';
import type { Report } from './report.ts';
import type { Run } from './run.ts';
import { addGroup, addUplink, openStand, processTree } from './stand.ts';

/** What the subscriber noted since it was asked last. */
export interface EventNote {
  /** The number of each change, in the order of arrival, followed by the tenths of milliseconds since it was due. */
  readonly pairs: Float64Array;
  readonly messages: number;
}

export interface EventCase {
  readonly name: string;
  readonly points: number;
}

/** Changes per second, over all points. */
export const rate = 5_000;

export const eventCases: readonly EventCase[] = [
  { name: `events, ${rate} changes/s on 10k points`, points: 10_000 },
  { name: `events, ${rate} changes/s on 10 points`, points: 10 },
];

/** Tags that are reported whenever they change, and readable besides. */
function eventTags(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `tag${index}`,
    address: String(index),
    attribute: Attribute.READ | Attribute.SUBSCRIBE,
    type: DataType.DOUBLE,
  }));
}

/** Changes that a driver pushes, from when they are due to a subscriber: none may be missing. */
export async function measureEvents(test: EventCase, run: Run): Promise<void> {
  const { report, quick } = run;
  const prepare = (data: string): Promise<void> =>
    cp(join(import.meta.dirname, 'event-source'), join(data, 'libraries', 'event-source'), {
      recursive: true,
    });
  await using stand = await openStand(run, { prepare });
  const { client, broker } = stand;
  await client.ok('POST', '/node', { name: 'plant', plugin: 'Event source' });
  await addGroup(stand, 'plant', 'group', 1_000, eventTags(test.points));
  const listener = await Listener.start<EventNote>(broker.port, 'bench', 'event-listener-process.ts');
  try {
    await addUplink(stand, 'plant', 'group', 'bench');
    await client.ok('POST', '/node/setting', { node: 'plant', params: { rate } });
    await until('changes arrive', async () => (await listener.take()).some(({ pairs }) => pairs.length > 0));
    await sleep(quick ? 2_000 : 5_000);
    await listener.take();
    const cpuNow = async (): Promise<number> => cpuSeconds(await processTree(stand));
    const [from, cpuBefore] = [performance.now(), await cpuNow()];
    await sleep(quick ? 10_000 : 30_000);
    const [to, cpu] = [performance.now(), (await cpuNow()) - cpuBefore];
    for (const note of await listener.take()) evaluate(test, report, note, (to - from) / 1000, cpu);
  } finally {
    await listener.stop();
  }
}

/** Adds what became of the changes that a subscriber noted within so many seconds. */
export function evaluate(
  { name, points }: EventCase,
  report: Report,
  note: EventNote,
  seconds: number,
  cpu: number,
): void {
  const numbers = Array.from({ length: note.pairs.length / 2 }, (_, at) => note.pairs[at * 2] ?? NaN);
  const latencies = numbers.map((_, at) => (note.pairs[at * 2 + 1] ?? NaN) / 10);
  // What came within a second of the ends may have neighbours that came before or after the window.
  const margin = rate;
  const first = (numbers[0] ?? 0) + margin;
  const last = (numbers.at(-1) ?? 0) - margin;
  const seen = new Set<number>();
  /** Per point the latest change that was seen. */
  const newest = new Float64Array(points);
  let [twice, late] = [0, 0];
  for (const number of numbers) {
    const point = number % points;
    const latest = newest[point] ?? 0;
    if (seen.has(number)) twice += 1;
    else if (number < latest) late += 1;
    seen.add(number);
    newest[point] = Math.max(latest, number);
  }
  let lost = 0;
  for (let number = first; number <= last; number += 1) if (!seen.has(number)) lost += 1;
  report.add(name, 'changes at the subscriber', seen.size / seconds, 'changes/s', { least: rate * 0.99 });
  report.add(name, 'changes lost', lost, 'changes', { most: 0 });
  report.add(name, 'changes after a newer one of their point', late, 'changes', { most: 0 });
  report.add(name, 'changes that came twice', twice, 'changes', { most: 0 });
  report.add(name, 'from due to the subscriber p50', percentile(latencies, 0.5), 'ms');
  report.add(name, 'from due to the subscriber p99', percentile(latencies, 0.99), 'ms', { most: 50 });
  report.add(name, 'messages per 1000 changes', note.messages / (numbers.length / 1000), 'messages');
  report.add(name, 'CPU per 1000 changes', (cpu * 1e6) / (numbers.length / 1000), 'µs');
}
