import { sleep } from '../kit/until.ts';
import { openFloor } from './floor.ts';
import { measureLoad } from './load.ts';
import { observe, periodErrors, warmUp } from './observation.ts';
import { int16Tags } from './plant.ts';
import { openPublisher } from './publisher.ts';
import { percentile, ratioOf } from './report.ts';
import { addGroup, addNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

/** What the gateway does meanwhile. */
const job = { tags: 10_000, interval: 100 };
/** Requests per second. */
const rate = 1_000;

const periodFigure = 'publish period |Δ − nominal|';

/** A thousand reads of a thousand tags per second, all of which are polled ten times a second. */
export async function measureReadsBeside(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const name = `POST /read of 1000 tags at ${rate}/s beside 10k tags @ 100 ms`;
  const seconds = quick ? 5 : 20;
  const gateway = await openPublisher(run, job);
  const { listener, processes } = gateway;
  await addGroup(gateway, 'plant', 'read', job.interval, int16Tags(1_000));
  await gateway.start();
  await warmUp(run, 1_000 / job.interval);
  const alone = await observe(listener, processes, seconds * 1_000);
  const question = { method: 'POST', path: '/read', body: { node: 'plant', group: 'read' } } as const;
  let latencies: readonly number[] = [];
  const beside = await observe(listener, processes, async () => {
    latencies = await measureLoad(gateway, question, { connections: 8, seconds, rate });
  });
  report.add(name, 'reads answered', latencies.length / seconds, 'requests/s', { least: rate * 0.98 });
  report.addPercentiles(name, 'latency', latencies);
  // What the samples of the same time would have cost alone.
  const samples = (alone.cpu / alone.arrivals.length) * beside.arrivals.length;
  report.add(name, 'CPU per read', ((beside.cpu - samples) * 1e3) / latencies.length, 'ms');
  report.addPercentiles(name, periodFigure, periodErrors(beside.arrivals, job.interval));
}

/**
 * How evenly samples are published, alone and while ten thousand tags are added again and again and a client reads large groups. The floor
 * does the same job at the same time: what the machine delays, it delays there too.
 */
export async function measureJitter(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const name = 'jitter, 10k tags @ 100 ms';
  const milliseconds = quick ? 10_000 : 40_000;
  const floor = await openFloor(run, job);
  const gateway = await openPublisher(run, job);
  await addNode(gateway, 'spare');
  await floor.start();
  await gateway.start();
  await warmUp(run, 1_000 / job.interval);

  const watchBoth = async (when: string, work: Parameters<typeof observe>[2]): Promise<void> => {
    const { arrivals, from, to } = await observe(gateway.listener, gateway.processes, work);
    const errors = periodErrors(arrivals, job.interval);
    report.addPercentiles(name, periodFigure, errors, { when, p99: { most: 5 } });
    const ofFloor = (await floor.listener.take()).filter(({ at }) => at >= from && at < to);
    const floorLate = percentile(periodErrors(ofFloor, job.interval), 0.99);
    report.add(name, `p99 of the floor at the same time${when}`, floorLate, 'ms');
    const ratio = ratioOf(percentile(errors, 0.99), floorLate);
    report.add(name, `p99 ÷ that of the floor${when}`, ratio, '× floor', { most: 2 });
  };
  await watchBoth(', alone', milliseconds);
  const question = { method: 'POST', path: '/read', body: { node: 'plant', group: 'group' } } as const;
  const added: number[] = [];
  await watchBoth(', while 10k tags are added every 2 s and read 50 times a second', async () => {
    const pressure = { connections: 1, seconds: milliseconds / 1000, rate: 50 };
    const reads = measureLoad(gateway, question, pressure);
    const end = performance.now() + milliseconds;
    for (let count = 0; performance.now() < end; count += 1) {
      const from = performance.now();
      await addGroup(gateway, 'spare', `group ${count}`, job.interval, int16Tags(job.tags));
      const took = performance.now() - from;
      added.push(took);
      await sleep(Math.max(0, 2_000 - took));
    }
    await reads;
  });
  report.add(name, 'adding 10k tags meanwhile p50', percentile(added, 0.5), 'ms');
}
