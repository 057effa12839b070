import { observe } from './observation.ts';
import { int16Tags } from './plant.ts';
import { cpuFigure } from './polled.ts';
import { openPublisher, type PublishingGateway } from './publisher.ts';
import { percentile, ratioOf } from './report.ts';
import type { MeasureContext } from './setup.ts';
import { until } from '../kit/until.ts';

export const reportingName = 'deadband and pace beside neither, 10k @ 100 ms';

const job = { tags: 10_000, interval: 100 };

/** Every reading of the device differs from the one before by more than that, so that both gateways publish the same. */
const deadband = 5;
/** All tags are compared with what was reported; the shortest pause is below the interval and holds nothing back, the longest is an hour and makes nothing due. */
const pace = { report: 'change', min_interval: 50, max_interval: 3_600_000 };

async function setDeadbands({ client }: PublishingGateway): Promise<void> {
  const tags = int16Tags(job.tags).map((tag) => ({ ...tag, deadband }));
  await client.ok('PUT', '/tags', { node: 'plant', group: 'group', tags }, { within: 120_000 });
}

async function setPace({ client }: PublishingGateway): Promise<void> {
  await client.ok('PUT', '/group', { node: 'plant', group: 'group', ...pace });
}

/**
 * Gateways do the same job at the same time, one without deadband and pace, one with each, and one with neither again, whose ratio shows what
 * the machine adds. The figure is the median of many short windows.
 */
export async function measureReporting(run: MeasureContext): Promise<void> {
  const { report, quick } = run;
  const kinds: readonly (readonly [
    what: string,
    prepare: (gateway: PublishingGateway) => Promise<void>,
    most?: number,
  ])[] = [
    ['neither', async () => {}],
    ['neither, once more', async () => {}],
    ['a deadband on every tag', setDeadbands, 1.05],
    ['a pace of the group', setPace, 1.05],
  ];
  const gateways: PublishingGateway[] = [];
  for (const [, prepare] of kinds) {
    const gateway = await openPublisher(run, job);
    await prepare(gateway);
    gateways.push(gateway);
  }
  for (const gateway of gateways) await gateway.start();
  for (const { listener } of gateways) {
    let came = 0;
    const isWarm = async (): Promise<boolean> =>
      (came += (await listener.take()).length) >= (quick ? 60 : 1_200);
    await until('the messages of a warm gateway have come', isWarm, { within: 300_000 });
  }
  const windows = quick ? 7 : 15;
  const costs = kinds.map((): number[] => []);
  for (let window = 0; window < windows; window++) {
    const seen = await Promise.all(
      gateways.map(({ listener, processes }) => observe(listener, processes, quick ? 3_000 : 5_000)),
    );
    for (const [index, { arrivals, cpu }] of seen.entries())
      costs[index]!.push((cpu * 1e9) / (arrivals.length * job.tags));
  }
  for (const [index, [what, , most]] of kinds.entries()) {
    report.add(reportingName, `${cpuFigure}, ${what}`, percentile(costs[index]!, 0.5), 'µs');
    if (index === 0) continue;
    const ratios = costs[index]!.map((cost, window) => ratioOf(cost, costs[0]![window]!));
    const target = most === undefined ? undefined : { most };
    report.add(reportingName, `${what} ÷ neither`, percentile(ratios, 0.5), '', target);
  }
}
