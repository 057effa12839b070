import { expect } from 'chai';
import type { DriverPlugin } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import type { Form, LineOptions } from '@tagway/sdk/internal';
import { tagOf, type TestPoint } from '../bench.ts';
import type { Library } from '../library.ts';
import { isWhole, type Outcome } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { importPlugin } from './files.ts';
import { delay } from './relay.ts';
import { soon } from './resources.ts';

/** What a call may take that has to end within a second: another one is for machines that are busy. */
const promptly = 2000;

/** A run has five seconds to stop; one more is for machines that are busy. */
const stopLimit = 6000;

/** Points of a read that takes long over a slow way, if each needs an exchange of its own. */
const many = 40;

/** What a call may take over a slow way while a long read is under way: some exchanges, by far not all of the read's. */
const patience = (many / 2) * delay;

/** Registers tests of how a driver's calls live side by side, and how they end. */
export function testCalls(form: Form, library: Library, options: DriverConformance): void {
  const { points, writes, recovery = 30_000 } = options;
  const open = (line?: LineOptions): Promise<Stand> => Stand.open(form, library, options, line);
  const [first] = points;
  if (first === undefined) throw new Error('There are no points to test with.');

  it('ends a read within a second of its abort', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points, 60_000).pollUntil('values come', isWhole, recovery);
    const { relay } = stand.device;
    const asked = relay.asked;
    relay.weather = 'silent';
    const read = stand.bench.test(1, first).then(
      () => undefined,
      () => undefined,
    );
    await soon(() => relay.asked > asked);
    const from = performance.now();
    const stop = stand.bench.stop(1);
    await read;
    expect(performance.now() - from, 'milliseconds').to.be.lessThan(promptly);
    await stop;
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('stops in time while its device is silent', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
    stand.device.relay.weather = 'silent';
    const from = performance.now();
    await stand.bench.stop(1);
    expect(performance.now() - from, 'milliseconds').to.be.lessThan(stopLimit);
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('lets a write and another group pass a slow read, unless it asks for one call at a time', async () => {
    const { calls } = (await importPlugin(library)) as DriverPlugin;
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const slow = stand.bench.group(1, 1, repeat(points, many), 60_000);
    const other = stand.bench.group(1, 2, [first], 60_000);
    await slow.pollUntil('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    const { relay } = stand.device;
    const asked = relay.asked;
    relay.weather = 'slow';
    const ended: string[] = [];
    let from = performance.now();
    const note = (what: string) => (): void => {
      ended.push(what);
      if (calls !== 'one' && what !== 'slow read')
        expect(performance.now() - from, `milliseconds of the ${what}`).to.be.lessThan(patience);
    };
    const reading = slow.poll().then(note('slow read'));
    // A driver that has what it reads asks nothing.
    await soon(() => relay.asked > asked || ended.length > 0);
    from = performance.now();
    const others = [other.poll().then(note('other read'))];
    if (writes !== undefined) {
      const tasks = writes.map((write, index) => ({ tag: tagOf(write, index), value: write.value }));
      others.push(stand.bench.line.ask({ op: 'write', node: 1, writes: tasks }).then(note('write')));
    }
    await Promise.all([reading, ...others]);
    if (calls === 'one' && writes !== undefined)
      expect(ended.indexOf('write'), 'a write goes before reads that wait').to.be.lessThan(
        ended.indexOf('other read'),
      );
  });

  it('gives each of several calls at a time its own answers', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const one = stand.bench.group(1, 1, points, 60_000);
    const other = stand.bench.group(1, 2, [...points].reverse(), 60_000);
    await one.pollUntil('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    const constant = constantOf(await one.poll(), await one.poll());
    for (let round = 0; round < 5; round++) {
      const [reading, reversed] = await Promise.all([
        one.poll(),
        other.poll(),
        ...points.map((point) => stand.bench.test(1, point)),
      ]);
      check(reading, constant);
      check([...reversed].reverse(), constant);
    }
  });

  it('takes no late answer for the answer to another question', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const group = stand.bench.group(1, 1, points, 60_000);
    await group.pollUntil('values come', isWhole, recovery);
    const constant = constantOf(await group.poll(), await group.poll());
    const { relay } = stand.device;
    relay.weather = 'held';
    await stand.bench.test(1, first).catch(() => undefined);
    relay.weather = 'pass';
    const reversed = stand.bench.group(1, 2, [...points].reverse(), 60_000);
    const polled = reversed.poll();
    relay.release();
    const end = performance.now() + recovery;
    for (let reading = await polled; ; reading = await reversed.poll()) {
      check([...reading].reverse(), constant);
      if (isWhole(reading)) break;
      if (performance.now() > end) throw new Error('No values came after the late answers.');
    }
  });
}

/** So many points, the given ones over and over, with names of their own. */
export function repeat(points: readonly TestPoint[], count: number): TestPoint[] {
  return Array.from({ length: count }, (_, index) => ({
    ...(points[index % points.length] as TestPoint),
    name: `tag${index}`,
  }));
}

/** What two readings have in common; undefined where the device's value changes by itself. */
function constantOf(one: readonly Outcome[], other: readonly Outcome[]): (Outcome | undefined)[] {
  return one.map((outcome, index) => (text(outcome) === text(other[index]) ? outcome : undefined));
}

/** Every value that is constant is what it always was. */
function check(reading: readonly Outcome[], constant: readonly (Outcome | undefined)[]): void {
  for (const [index, outcome] of reading.entries()) {
    const known = constant[index];
    if (known === undefined || isFault(outcome)) continue;
    expect(text(outcome), `the value of point ${index}`).to.equal(text(known));
  }
}

function text(outcome: Outcome | undefined): string {
  return `${typeof outcome} ${String(outcome)}`;
}
