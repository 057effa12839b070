import { observe } from './observation.ts';
import { cpuFigure } from './polled.ts';
import { type Job, openPublisher, type PublishingGateway } from './publisher.ts';
import { percentile, ratioOf } from './report.ts';
import type { MeasureContext } from './setup.ts';
import { until } from '../kit/until.ts';

/** A gateway among others that do the same job. */
export interface Side {
  readonly what: string;
  /** Further arguments of its command line. */
  readonly args?: readonly string[];
  readonly prepare?: (gateway: PublishingGateway) => Promise<void>;
  /** The most that it may cost, as a multiple of what the first one costs. */
  readonly most?: number;
}

/**
 * Gateways do the same job at the same time; each is compared with the first one. One that is as the first one shows what the machine adds. The
 * figure is the median of many short windows.
 */
export async function measureSideBySide(
  name: string,
  job: Job,
  sides: readonly [Side, ...Side[]],
  run: MeasureContext,
): Promise<void> {
  const { report, quick } = run;
  const gateways: PublishingGateway[] = [];
  for (const { prepare, args } of sides) {
    const gateway = await openPublisher(run, job, { args });
    await prepare?.(gateway);
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
  const costs = sides.map((): number[] => []);
  for (let window = 0; window < windows; window++) {
    const seen = await Promise.all(
      gateways.map(({ listener, processes }) => observe(listener, processes, quick ? 3_000 : 5_000)),
    );
    for (const [index, { arrivals, cpu }] of seen.entries())
      costs[index]!.push((cpu * 1e9) / (arrivals.length * job.tags));
  }
  for (const [index, { what, most }] of sides.entries()) {
    report.add(name, `${cpuFigure}, ${what}`, percentile(costs[index]!, 0.5), 'µs');
    if (index === 0) continue;
    const ratios = costs[index]!.map((cost, window) => ratioOf(cost, costs[0]![window]!));
    const target = most === undefined ? undefined : { most };
    report.add(name, `${what} ÷ ${sides[0].what}`, percentile(ratios, 0.5), '', target);
  }
}
