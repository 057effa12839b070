import { Gate } from '../gate.ts';
import { sleep, until } from '../until.ts';
import { Listener } from './listener.ts';
import { int16Tags } from './plant.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processTree, startDriver } from './stand.ts';
import type { Stand } from './stand.ts';

const tags = 10_000;
/** Milliseconds. */
const interval = 100;

const withCache = { 'cache-mem-size': 16, 'cache-disk-size': 1000, 'cache-sync-interval': 10 };

async function runnerSeconds(stand: Stand): Promise<number> {
  return (await processTree(stand)).find(({ title }) => /mqtt/i.test(title))?.cpu ?? NaN;
}

/** CPU time of the MQTT runner per message, in milliseconds, while the broker confirms. */
async function costPerMessage(
  run: Run,
  settings: Readonly<Record<string, unknown>>,
  seconds: number,
): Promise<number> {
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
  const listener = await Listener.start(stand.broker.port, 'bench');
  try {
    await addUplink(stand, 'plant', 'group', 'bench', { qos: 1, ...settings });
    await startDriver(stand, 'plant');
    await sleep(4000);
    await listener.take();
    const before = await runnerSeconds(stand);
    await sleep(seconds * 1000);
    const cpu = (await runnerSeconds(stand)) - before;
    return (cpu * 1000) / (await listener.take()).length;
  } finally {
    await listener.stop();
  }
}

/** What the MQTT app's cache costs while the broker is there, and how fast it is emptied after an outage. */
export async function measureCache(run: Run): Promise<void> {
  const { report, quick } = run;
  const seconds = quick ? 10 : 30;
  const without = await costPerMessage(run, {}, seconds);
  const cached = await costPerMessage(run, withCache, seconds);
  const name = 'MQTT cache, 10k tags @ 100 ms, QoS 1';
  report.add(name, 'CPU of the runner per message, no cache', without, 'ms');
  report.add(name, 'CPU of the runner per message, cache, broker up', cached, 'ms');
  report.add(name, 'the same, cache ÷ no cache', cached / without, '', { most: 1.1 });

  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
  const listener = await Listener.start(stand.broker.port, 'bench');
  const gate = await Gate.open(stand.broker.port);
  try {
    await addUplink(stand, 'plant', 'group', 'bench', { qos: 1, ...withCache, port: gate.port });
    await startDriver(stand, 'plant');
    await until('samples arrive', async () => (await listener.take()).length > 0);
    const before = await runnerSeconds(stand);
    await gate.shut();
    const outage = quick ? 10_000 : 30_000;
    await sleep(outage);
    const cpu = (await runnerSeconds(stand)) - before;
    report.add(
      name,
      'CPU of the runner per message, cache, broker away',
      (cpu * 1000 * interval) / outage,
      'ms',
    );
    await listener.take();
    await gate.reopen(stand.broker.port);
    const from = await until('the broker is found again', async () => (await listener.take()).at(-1)?.at, {
      within: 30_000,
    });
    await sleep(1000);
    const during = await listener.take();
    const to = during.at(-1)?.at ?? NaN;
    const rate = (during.length / (to - from)) * 1000 - 1000 / interval;
    report.add(name, 'replay beside live messages, one per 10 ms', rate, 'messages/s', { least: 90 });
    report.add(name, 'the same in values', rate * tags, 'values/s');
  } finally {
    await gate.shut();
    await listener.stop();
  }
}
