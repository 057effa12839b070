import { expect } from 'chai';
import type { DriverPlugin } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import type { Form, HarnessOptions } from '@tagway/sdk/harness';
import { tagOf, type TestPoint } from '../plugin-harness.ts';
import type { Library } from '../library.ts';
import { isWhole, type Outcome } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';
import { importPlugin } from './files.ts';
import { delay } from './relay.ts';
import { soon } from './resources.ts';

/** Milliseconds for a call that has to end within a second, and a second more for a busy machine. */
const promptly = 2000;

/** Milliseconds for a stop: five seconds, and a second more for a busy machine. */
const stopLimit = 6000;

/** Points of a read that takes long over a slow connection when each needs an exchange of its own. */
const many = 40;

/** Milliseconds for a call over a slow connection during a long read: some exchanges, but far fewer than those of the read. */
const patience = (many / 2) * delay;

/** Registers tests of calls that overlap, and of how calls end. */
export function testCalls(form: Form, library: Library, options: DriverConformance): void {
  const { points, writes, recovery = 30_000 } = options;
  const open = (harnessOptions?: HarnessOptions): Promise<DriverFixture> =>
    DriverFixture.open(form, library, options, harnessOptions);
  const [first] = points;
  if (first === undefined) throw new Error('There are no points to test with.');

  it('ends a read within a second of its abort', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points, 60_000).pollUntil('values come', isWhole, recovery);
    const { relay } = fixture.device;
    const asked = relay.bytesReceived;
    relay.condition = 'silent';
    const read = fixture.harness.test(1, first).then(
      () => undefined,
      () => undefined,
    );
    await soon(() => relay.bytesReceived > asked);
    const from = performance.now();
    const stop = fixture.harness.stop(1);
    await read;
    expect(performance.now() - from, 'milliseconds').to.be.lessThan(promptly);
    await stop;
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('stops in time while its device is silent', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
    fixture.device.relay.condition = 'silent';
    const from = performance.now();
    await fixture.harness.stop(1);
    expect(performance.now() - from, 'milliseconds').to.be.lessThan(stopLimit);
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('lets a write and another group pass a slow read, unless it asks for one call at a time', async () => {
    const { calls } = (await importPlugin(library)) as DriverPlugin;
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const slow = fixture.harness.group(1, 1, repeat(points, many), 60_000);
    const other = fixture.harness.group(1, 2, [first], 60_000);
    await slow.pollUntil('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    const { relay } = fixture.device;
    const asked = relay.bytesReceived;
    relay.condition = 'slow';
    const ended: string[] = [];
    let from = performance.now();
    const note = (what: string) => (): void => {
      ended.push(what);
      // On a busy machine it may take longer, as long as the slow read does not end before it.
      if (calls !== 'one' && ended.includes('slow read') && what !== 'slow read')
        expect(performance.now() - from, `milliseconds of the ${what}`).to.be.lessThan(patience);
    };
    const reading = slow.poll().then(note('slow read'));
    // A driver that already has the values sends no request.
    await soon(() => relay.bytesReceived > asked || ended.length > 0);
    from = performance.now();
    const others = [other.poll().then(note('other read'))];
    if (writes !== undefined) {
      // A long text alone takes a slow connection longer than this.
      const short = writes.filter(({ value }) => typeof value !== 'string' || value.length < 1000);
      const tasks = short.map((write, index) => ({ tag: tagOf(write, index), value: write.value }));
      others.push(fixture.harness.runner.ask({ op: 'write', node: 1, writes: tasks }).then(note('write')));
    }
    await Promise.all([reading, ...others]);
    if (calls === 'one' && writes !== undefined)
      expect(ended.indexOf('write'), 'a write goes before reads that wait').to.be.lessThan(
        ended.indexOf('other read'),
      );
  });

  it('gives each of several calls at a time its own answers', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const one = fixture.harness.group(1, 1, points, 60_000);
    const other = fixture.harness.group(1, 2, [...points].reverse(), 60_000);
    await one.pollUntil('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    const constant = constantOf(await one.poll(), await one.poll());
    for (let round = 0; round < 5; round++) {
      const [reading, reversed] = await Promise.all([
        one.poll(),
        other.poll(),
        ...points.map((point) => fixture.harness.test(1, point)),
      ]);
      check(reading, constant);
      check([...reversed].reverse(), constant);
    }
  });

  it('takes no late answer for the answer to another question', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const group = fixture.harness.group(1, 1, points, 60_000);
    await group.pollUntil('values come', isWhole, recovery);
    const constant = constantOf(await group.poll(), await group.poll());
    const { relay } = fixture.device;
    relay.condition = 'held';
    await fixture.harness.test(1, first).catch(() => undefined);
    relay.condition = 'pass';
    const reversed = fixture.harness.group(1, 2, [...points].reverse(), 60_000);
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

/** `count` points that repeat the given ones under names of their own. */
export function repeat(points: readonly TestPoint[], count: number): TestPoint[] {
  return Array.from({ length: count }, (_, index) => ({
    ...(points[index % points.length] as TestPoint),
    name: `tag${index}`,
  }));
}

/** The outcomes that are equal in two reads; undefined where the value changes by itself. */
function constantOf(one: readonly Outcome[], other: readonly Outcome[]): (Outcome | undefined)[] {
  return one.map((outcome, index) => (text(outcome) === text(other[index]) ? outcome : undefined));
}

/** Checks that every constant value is unchanged. */
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
