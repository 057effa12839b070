/**
 * Prints what the history of 200 tags takes in a day: bytes on disk and time of the processor, by what the values are like. An hour is taken
 * with a clock that only these samples have. node_modules/.bin/node --conditions=source host/test/history/measure.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupHistory } from '../../src/history/group-history.ts';
import { Ring } from '../../src/history/ring.ts';
import { groupOf, sampler, tagOf } from './samples.ts';

const count = 200;
const seconds = 3600;
const begin = 1_700_000_000_000;

/** The value of a second by the one before. */
type Next = (before: number, at: number) => number;

const rounded = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals;
const walk = (before: number, width: number): number => before + (Math.random() - 0.5) * width;

const kinds: Readonly<Record<string, Next>> = {
  'never change': (before) => before,
  'change every 20 s, one decimal': (before) => (Math.random() < 0.05 ? rounded(walk(before, 1), 1) : before),
  'change every second, one decimal': (before) => rounded(walk(before, 1), 1),
  'the same, singles': (before) => Math.fround(rounded(walk(before, 1), 1)),
  'change every second, two decimals': (before) => rounded(walk(before, 1), 2),
  'whole numbers, ±10': (before) => before + Math.round(walk(0, 20)),
  'singles with noise in every bit': (_before, at) => Math.fround(20 + Math.sin(at / 100) + Math.random()),
  'doubles with noise in every bit': (_before, at) => 20 + Math.sin(at / 100) + Math.random(),
};

for (const [name, next] of Object.entries(kinds)) {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-history-'));
  const group = groupOf(
    1,
    Array.from({ length: count }, (_, at) => tagOf(at + 1)),
    1000,
  );
  const history = new GroupHistory(group, new Ring(folder, () => begin));
  const { sample, tags } = sampler(group);
  const values = new Float64Array(count).fill(20);
  const samples = Array.from({ length: seconds }, (_, at) => {
    for (let column = 0; column < count; column++) values[column] = next(values[column]!, at);
    return sample(begin + at * 1000 + Math.floor(Math.random() * 5), values);
  });
  const before = process.cpuUsage();
  for (const [at, one] of samples.entries()) {
    history.take(one, tags);
    if (at % 60 === 59) await history.store();
  }
  const { user, system } = process.cpuUsage(before);
  const begun = performance.now();
  await history.read(count, { from: begin, to: begin + seconds * 1000, step: 6000, limit: 0 });
  const read = performance.now() - begun;
  const bytes = history.ring.bytes / (count * seconds);
  const share = ((user + system) / 1e6 / seconds) * 100;
  process.stdout.write(
    `${name}: ${((history.ring.bytes * 24) / 1e6).toFixed(1)} MB a day, ${bytes.toFixed(2)} bytes a value, ` +
      `${share.toFixed(3)} % of a core, an hour is read in ${read.toFixed(0)} ms\n`,
  );
  await rm(folder, { recursive: true });
}
