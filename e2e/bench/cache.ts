import { sleep, until } from '../kit/until.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';
import { openPublisher } from './publisher.ts';
import type { PublishingGateway } from './publisher.ts';
import type { MeasureContext } from './setup.ts';

const job = { tags: 10_000, interval: 100 };

const withCache = { qos: 1, 'cache-mem-size': 16, 'cache-disk-size': 1000, 'cache-sync-interval': 10 };

async function runnerSeconds({ processes }: PublishingGateway): Promise<number> {
  return (await processes()).find(({ title }) => /mqtt/i.test(title))?.cpu ?? NaN;
}

/** CPU time of the MQTT runner per message, in milliseconds, while the broker confirms. */
async function costPerMessage(run: MeasureContext, settings: object, seconds: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const gateway = await openPublisher({ ...run, stack }, job);
  await gateway.start({ ...settings });
  await sleep(4000);
  await gateway.listener.take();
  const before = await runnerSeconds(gateway);
  await sleep(seconds * 1000);
  const cpu = (await runnerSeconds(gateway)) - before;
  return (cpu * 1000) / (await gateway.listener.take()).length;
}

/** What the MQTT app's cache costs while the broker is there, and how fast it is emptied after an outage. */
export async function measureCache(run: MeasureContext): Promise<void> {
  const { report, quick, stack } = run;
  const seconds = quick ? 10 : 30;
  const without = await costPerMessage(run, { qos: 1 }, seconds);
  const cached = await costPerMessage(run, withCache, seconds);
  const name = 'MQTT cache, 10k tags @ 100 ms, QoS 1';
  report.add(name, 'CPU of the runner per message, no cache', without, 'ms');
  report.add(name, 'CPU of the runner per message, cache, broker up', cached, 'ms');
  report.add(name, 'the same, cache ÷ no cache', cached / without, '', { most: 1.1 });

  const gateway = await openPublisher(run, job);
  const { broker, listener } = gateway;
  const proxy = stack.adopt(await TcpProxy.open(broker.port), (it) => it.shut());
  await gateway.start({ ...withCache, port: proxy.port });
  await until('samples arrive', async () => (await listener.take()).length > 0);
  const before = await runnerSeconds(gateway);
  await proxy.shut();
  await sleep(seconds * 1000);
  const away = ((await runnerSeconds(gateway)) - before) / seconds;
  report.add(name, 'CPU of the runner per message, cache, broker away', away * job.interval, 'ms');
  await listener.take();
  await proxy.reopen(broker.port);
  const from = await until('the broker is found again', async () => (await listener.take()).at(-1)?.at, {
    within: 30_000,
  });
  await sleep(1000);
  const during = await listener.take();
  const to = during.at(-1)?.at ?? NaN;
  const rate = (during.length / (to - from)) * 1000 - 1000 / job.interval;
  report.add(name, 'replay beside live messages, one per 10 ms', rate, 'messages/s', { least: 90 });
  report.add(name, 'the same in values', rate * job.tags, 'values/s');
}
