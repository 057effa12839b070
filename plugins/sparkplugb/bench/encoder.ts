// Measures the CPU time of encoding ten thousand metrics that have all changed: with this plugin's encoder, from the columns of a
// sample, and with sparkplug-payload, from objects that are there already. Prints nanoseconds per metric as JSON. Argument: the
// number of rounds.
import { layoutOf, sampleWith } from '@tagway/mqtt-client/test';
import { DataType } from '@tagway/sdk';
import type { Sample } from '@tagway/sdk';
import { get } from 'sparkplug-payload';
import { GroupState } from '../src/group-state.ts';
import { payloadOf } from '../src/payload.ts';
import { GroupPlan } from '../src/group-plan.ts';

const count = 10_000;
const rounds = Number(process.argv[2] ?? 20);

const kinds = [
  { type: DataType.INT16, name: 'Int16', value: (n: number) => (n % 65_536) - 32_768 },
  { type: DataType.FLOAT, name: 'Float', value: (n: number) => Math.fround(n / 10) },
  { type: DataType.UINT16, name: 'UInt16', value: (n: number) => n % 65_536 },
  { type: DataType.BOOL, name: 'Boolean', value: (n: number) => n % 2 === 1 },
] as const;

const kindOf = (index: number): (typeof kinds)[number] =>
  kinds[index % kinds.length] as (typeof kinds)[number];
const tags = Array.from({ length: count }, (_, index) => ({ name: `tag${index}`, type: kindOf(index).type }));
const layout = layoutOf(tags);
const names = tags.map(({ name }) => `group/${name}`);

/** Two samples that differ in every value. */
const samples = [0, 1].map((turn) =>
  sampleWith(
    layout,
    tags.map((_, index) => kindOf(index).value(index + turn)),
    { timestamp: 1_700_000_000_000 + turn },
  ),
) as [Sample, Sample];

const objects = [0, 1].map((turn) =>
  tags.map((_, index) => ({
    name: names[index] as string,
    timestamp: 1_700_000_000_000 + turn,
    type: kindOf(index).name,
    value: kindOf(index).value(index + turn),
  })),
);

const library = get('spBv1.0');
if (library === null) throw new Error('sparkplug-payload does not know its namespace.');
const state = new GroupState(new GroupPlan(layout, names, undefined), false);

let bytes = 0;
const ways = {
  own: (turn: number): void => {
    const metrics = state.take(samples[turn % 2] as Sample);
    bytes += payloadOf(metrics, 1_700_000_000_000, turn % 256).length;
  },
  library: (turn: number): void => {
    const metrics = objects[turn % 2] as never;
    bytes += library.encodePayload({ timestamp: 1_700_000_000_000, metrics, seq: turn % 256 }).length;
  },
};

/** Nanoseconds of CPU time per metric. */
function measure(way: (turn: number) => void, turns: number): number {
  const before = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) way(turn);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / (turns * count);
}

for (const way of Object.values(ways)) measure(way, 20);
const own: number[] = [];
const others: number[] = [];
for (let round = 0; round < rounds; round++) {
  own.push(measure(ways.own, 10));
  others.push(measure(ways.library, 10));
}
const median = (values: number[]): number =>
  values.sort((one, other) => one - other)[values.length >> 1] as number;
process.stdout.write(`${JSON.stringify({ own: median(own), library: median(others), bytes })}\n`);
