// What deadbands and a pace add to the making of a sample: `node --conditions=source sdk/bench/report.ts ROUNDS`. Groups of 10 000 tags, of which all
// values change in every cycle: one without any, and one of each kind, in turns of twenty samples. The figures are medians of CPU time per
// 1000 values; "more" is that less the one without any, of turns that follow each other.
import { Attribute, DataType } from '@tagway/schemas';
import { type GroupConfig, layoutOf, type RunnerTag, SampleBuilder } from '../src/internal/index.ts';

const count = 10_000;
const turn = 20;
const rounds = Number(process.argv[2] ?? 200);

function builderOf(version: number, more: Partial<RunnerTag>, pace?: GroupConfig['pace']): SampleBuilder {
  const tags = Array.from({ length: count }, (_, index) => ({
    name: `tag${index}`,
    address: String(index),
    type: DataType.INT16,
    attribute: Attribute.READ,
    precision: 0,
    decimal: 0,
    bias: 0,
    ...more,
  }));
  const layout = layoutOf(version, { driver: 'plant', group: 'group', interval: 100 }, tags);
  return new SampleBuilder({ group: version, tags, layout, ...(pace && { pace }) });
}

const pace = { report: 'change', min_interval: 50, max_interval: 3_600_000 } as const;
const kinds = [
  ['neither', builderOf(1, {})],
  ['neither, once more', builderOf(2, {})],
  ['a deadband on every tag', builderOf(3, { threshold: 5 })],
  ['a pace of the group', builderOf(4, {}, pace)],
  ['both', builderOf(5, { threshold: 5 }, pace)],
] as const;

let cycle = 0;

/** Microseconds of CPU per 1000 values. */
function costOf(builder: SampleBuilder): number {
  const before = process.cpuUsage();
  for (let sample = 0; sample < turn; sample++) {
    cycle++;
    const draft = builder.draft();
    for (let index = 0; index < count; index++) draft.number(index, (cycle * 10 + index) % 30_000);
    draft.close();
    builder.finish(draft.values, cycle * 100);
    builder.reuse(draft.values);
  }
  const { system, user } = process.cpuUsage(before);
  return ((system + user) * 1000) / (turn * count);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

for (const [, builder] of kinds) for (let warm = 0; warm < 20; warm++) costOf(builder);
const costs = kinds.map((): number[] => []);
for (let round = 0; round < rounds; round++)
  for (const [index, [, builder]] of kinds.entries()) costs[index]!.push(costOf(builder));
for (const [index, [kind]] of kinds.entries()) {
  const more = median(costs[index]!.map((cost, round) => cost - costs[0]![round]!));
  process.stdout.write(
    `${kind.padEnd(24)} ${median(costs[index]!).toFixed(2).padStart(6)} µs  ${more.toFixed(2).padStart(6)} µs more\n`,
  );
}
