import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { Listener } from './listener.ts';
import { observe, warmUp } from './observation.ts';
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

/** Milliseconds. */
const interval = 100;

export interface CalculationCase {
  readonly name: string;
  readonly tags: number;
}

export const calculationCases: readonly CalculationCase[] = [1_000, 10_000].map((tags) => ({
  name: `calculation, ${tags / 1000}k tags of two inputs @ 100 ms`,
  tags,
}));

/** Sums of two neighbours each; the first one is the clock of the device, and reported to apps at once. */
function sumsOf(inputs: readonly TagBody[]): TagBody[] {
  const referenceTo = (index: number): string => `tag("plant/group/${inputs[index % inputs.length]!.name}")`;
  return inputs.map(({ name }, index) =>
    index === 0
      ? {
          name,
          address: referenceTo(0),
          attribute: Attribute.READ | Attribute.SUBSCRIBE,
          type: DataType.INT16,
        }
      : {
          name,
          address: `${referenceTo(index)} + ${referenceTo(index + 1)}`,
          attribute: Attribute.READ,
          type: DataType.INT32,
        },
  );
}

/**
 * Every tag is calculated anew from each sample of the device, in which all inputs have changed. The clock of the device goes to the
 * subscriber once as it was read, and once as it was calculated: the second one less the first is what the way over the node takes.
 */
export async function measureCalculation(
  { name, tags }: CalculationCase,
  run: MeasureContext,
): Promise<void> {
  const { report, quick, stack } = run;
  const setup = await openSetup(run);
  const inputs = int16Tags(tags);
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', interval, inputs);
  await addGroup(setup, 'plant', 'clock', interval, [{ ...inputs[0]!, name: 'clock' }]);
  await startNode(setup, 'plant');
  await addNode(setup, 'sums', 'Calculation');
  await startNode(setup, 'sums', {});
  // Its own tick comes once an hour: all that is measured follows from inputs.
  await addGroup(setup, 'sums', 'group', 3_600_000, sumsOf(inputs));
  const results = await Listener.start(stack, setup.broker.port, 'bench/results');
  const readings = await Listener.start(stack, setup.broker.port, 'bench/readings');
  await addApp(setup, 'uplink');
  await subscribe(setup, 'uplink', 'plant', 'clock', 'bench/readings');
  await subscribe(setup, 'uplink', 'sums', 'group', 'bench/results');
  await until('results arrive', async () => (await results.take()).length > 0, { within: 60_000 });
  await warmUp(run, 1_000 / interval);
  const milliseconds = quick ? 6_000 : 20_000;
  const runner = async () =>
    (await processTree(setup)).filter((row) => processName(setup, row).startsWith('runner calculation'));
  const [seen, read] = await Promise.all([
    observe(results, runner, milliseconds),
    observe(readings, runner, milliseconds),
  ]);
  const seconds = (seen.to - seen.from) / 1_000;
  const evaluations = seen.arrivals.length * tags;
  const least = (tags * 1_000) / interval;
  report.add(name, 'evaluations', evaluations / seconds, 'per second', { least: least * 0.98 });
  report.add(name, 'CPU of their runner', (seen.cpu / seconds) * 100, '% of a core', { most: 100 });
  report.add(name, 'CPU of it per evaluation', (seen.cpu * 1e6) / evaluations, 'µs');
  report.addPercentiles(
    name,
    'value age at subscriber, as read',
    read.arrivals.flatMap(({ age }) => age ?? []),
  );
  report.addPercentiles(
    name,
    'value age at subscriber, as calculated',
    seen.arrivals.flatMap(({ age }) => age ?? []),
    { p99: { most: 20 } },
  );
}
