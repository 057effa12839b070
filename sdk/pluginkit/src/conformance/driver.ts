import { expect } from 'chai';
import { Attribute, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import type { FaultData, Form, LineOptions } from '@tagway/sdk/internal';
import { Bench, tagOf, type TestPoint } from '../bench.ts';
import type { Library } from '../library.ts';
import { isFailed, isValue, isWhole, kindOf } from '../reading.ts';
import { testCalls } from './driver-calls.ts';
import { testLink } from './driver-link.ts';
import { testPushes } from './driver-pushes.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { testStamps } from './driver-stamps.ts';
import { testTexts } from './driver-texts.ts';
import { testFiles } from './files.ts';
import { confined, withProbe } from './isolation.ts';
import { PeerOnBench } from './peer.ts';
import { resourcesOf, settled, soon } from './resources.ts';
import { showText } from './text.ts';

/** What a check may refuse a tag with. */
const ownCodes: readonly number[] = [
  ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  ErrorCode.TAG_ADDRESS_INVALID,
];

/** Addresses that nobody means; a check says no, or yes, but does not fail. */
const odd = [
  '',
  ' ',
  '!',
  '0',
  '-1',
  '1!',
  '\0',
  '地址',
  '1!400001'.repeat(30),
  '../..',
  '[object Object]',
  '9'.repeat(128),
];

export function testDriver(library: Library, options: DriverConformance): void {
  testFiles(library, options.device, () => options.device.settings(1));

  it('the check takes the points of the tests and refuses the malformed one', async () => {
    await using bench = await Bench.open('inline', library);
    const patterns = library.manifest.tags?.addresses ?? [];
    const code = async (point: TestPoint): Promise<number> => {
      const tag = tagOf(point);
      const own = patterns.filter(({ type }) => type === tag.type);
      if (own.length === 0) return ErrorCode.TAG_TYPE_UNSUPPORTED;
      if (!own.some(({ pattern }) => new RegExp(pattern, 'u').test(tag.address)))
        return ErrorCode.TAG_ADDRESS_INVALID;
      const [fault] = (await bench.line.ask({ op: 'checkTags', tags: [tag] })) as readonly (
        FaultData | undefined
      )[];
      return fault?.code ?? 0;
    };
    for (const point of [...options.points, options.refused, ...(options.writes ?? [])])
      expect(await code(point), point.address).to.equal(0);
    expect([ErrorCode.TAG_TYPE_UNSUPPORTED, ErrorCode.TAG_ADDRESS_INVALID]).to.include(
      await code(options.malformed),
    );
  });

  it('takes the addresses that plugin.json has as examples', async () => {
    await using bench = await Bench.open('inline', library);
    for (const { type, pattern, examples = [] } of library.manifest.tags?.addresses ?? []) {
      const tags = examples.map((address) => tagOf({ address, type, attribute: Attribute.READ }));
      const faults = (await bench.line.ask({ op: 'checkTags', tags })) as readonly (FaultData | undefined)[];
      for (const [index, address] of examples.entries()) {
        expect(new RegExp(pattern, 'u').test(address), `type ${type}: ${address}`).to.equal(true);
        expect(faults[index], `type ${type}: ${address}`).to.equal(undefined);
      }
    }
  });

  it('the check answers odd addresses with its own codes', async function () {
    await using bench = await Bench.open('inline', library);
    const tags = odd.flatMap((address) =>
      options.points.map(({ type }) => tagOf({ address, ...(type && { type }) })),
    );
    const faults = (await bench.line.ask({ op: 'checkTags', tags })) as readonly (FaultData | undefined)[];
    expect(faults).to.have.length(tags.length);
    for (const [index, fault] of faults.entries()) {
      if (fault === undefined) continue;
      expect(ownCodes, tags[index]?.address).to.include(fault.code);
      // One of each code is enough to see how they read.
      const isShown = faults.findIndex((other) => other?.code === fault.code) === index;
      showText(isShown ? this.test : undefined, fault.message, 'Address: ');
    }
  });

  for (const form of ['inline', 'forked'] as const) {
    describe(form, () => {
      testRuns(form, library, options);
      testCalls(form, library, options);
      testLink(form, library, options);
      if (options.pushes !== undefined) testPushes(form, library, options, options.pushes);
    });
  }
  testTexts(library, options);
  testStamps(library, options);

  it('needs to write nowhere but in its data folder', async () => {
    await using stand = await Stand.open('forked', library, options, { execArgv: confined });
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, options.points).until('values come', isWhole, options.recovery);
    await stand.bench.stop(1);
    const refused = ['warn', 'error']
      .flatMap((level) => stand.bench.logged(level))
      .filter((line) => line.includes('ERR_ACCESS'));
    expect(refused).to.deep.equal([]);
  });
}

function testRuns(form: Form, library: Library, options: DriverConformance): void {
  const { points, refused, recovery = 30_000 } = options;
  const open = (line?: LineOptions): Promise<Stand> => Stand.open(form, library, options, line);

  it('reads one outcome per point, of the type of the point', async () => {
    await using stand = await open();
    expect(await stand.bench.start(1, stand.settings)).to.equal(true);
    const group = stand.bench.group(1, 1, points);
    await group.until('values come', isWhole, recovery);
    expect(await group.next()).to.have.length(points.length);
    expect(stand.link, 'link').to.equal(LinkState.CONNECTED);
    for (const point of points) {
      const value = await stand.bench.test(1, point);
      expect(typeof value, `${point.address}: a value of type ${tagOf(point).type}`).to.equal(
        kindOf(tagOf(point).type),
      );
    }
  });

  it('starts again after a stop', async () => {
    await using stand = await open();
    for (const group of [1, 2]) {
      expect(await stand.bench.start(1, stand.settings)).to.equal(true);
      await stand.bench.group(1, group, points).until('values come', isWhole, recovery);
      await stand.bench.stop(1);
      expect(stand.link, 'link').to.equal(LinkState.DISCONNECTED);
    }
  });

  it('can be stopped while it starts, and before', async () => {
    await using stand = await open();
    await stand.bench.stop(1);
    const start = stand.bench.start(1, stand.settings);
    await stand.bench.stop(1);
    await start;
    expect(await stand.bench.start(1, stand.settings)).to.equal(true);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('takes a new start of the same node for a change of its settings', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
  });

  it('reports a bad address as a fault in its place', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const [first, ...rest] = points;
    const mixed = [...(first ? [first] : []), refused, ...rest];
    const pattern = mixed.map((point) => point === refused);
    await stand.bench
      .group(1, 1, mixed)
      .until(
        'only the refused point has a fault',
        (reading) => reading.every((one, at) => isFault(one) === pattern[at]),
        recovery,
      );
  });

  it('reads several groups, out of turn too, and follows their changes', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const one = stand.bench.group(1, 1, points);
    const other = stand.bench.group(1, 2, points.slice(0, 1), 60_000);
    await one.until('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    expect(await other.poll()).to.have.length(1);
    const reversed = [...points].reverse();
    const changed = stand.bench.group(1, 1, reversed);
    await changed.until('values come', isWhole, recovery);
    expect((await changed.next()).map((value) => typeof value)).to.deep.equal(
      reversed.map((point) => sampled(point)),
    );
  });

  it('reads a group of a thousand points', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...(points[index % points.length] as TestPoint),
      name: `tag${index}`,
    }));
    await stand.bench.group(1, 1, many, 1000).until('values come', isWhole, 60_000);
  });

  if (options.writes !== undefined) {
    const { writes } = options;
    it('writes, and reads back what it wrote', async () => {
      await using stand = await open();
      await stand.bench.start(1, stand.settings);
      await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
      const tasks = writes.map((write, index) => ({ tag: tagOf(write, index), value: write.value }));
      expect(await stand.bench.line.ask({ op: 'write', node: 1, writes: tasks })).to.deep.equal([]);
      for (const { value, ...point } of writes)
        expect(await stand.bench.test(1, point), point.address).to.deep.equal(value);
    });

    it('reports the fault of a write in its place', async () => {
      await using stand = await open();
      await stand.bench.start(1, stand.settings);
      await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
      const [good] = writes.map((write) => ({ tag: tagOf(write), value: write.value }));
      if (good === undefined) throw new Error('There are no writes to test with.');
      const bad = { tag: tagOf({ ...refused, type: good.tag.type }, 1), value: good.value };
      const failed = (await stand.bench.line.ask({ op: 'write', node: 1, writes: [good, bad] })) as [
        number,
      ][];
      expect(failed.map(([index]) => index)).to.deep.equal([1]);
    });
  }

  it('starts without its device, and finds it when it comes', async () => {
    await using stand = await open();
    await stand.device.relay.vanish();
    expect(await stand.bench.start(1, stand.settings), 'an absent device is not a failed start').to.equal(
      true,
    );
    const group = stand.bench.group(1, 1, points);
    await group.until('every point has a fault', isFailed, recovery);
    expect(stand.link, 'link without a device').to.not.equal(LinkState.CONNECTED);
    await stand.device.relay.appear();
    await group.until('values come', isWhole, recovery);
    expect(stand.link, 'link').to.equal(LinkState.CONNECTED);
  });

  it('survives a device that dies while it is read, and finds it when it is back', async () => {
    await using stand = await open();
    await stand.bench.start(1, stand.settings);
    const group = stand.bench.group(1, 1, points);
    await group.until('values come', isWhole, recovery);
    stand.device.relay.weather = 'dying';
    await group.until('every point has a fault', isFailed, recovery);
    expect(isFailed(await group.poll()), 'a read while the device is gone has no values').to.equal(true);
    await stand.device.relay.appear();
    await group.until('values come', isWhole, recovery);
  });

  it('takes the answers of a slow device', async () => {
    await using stand = await open();
    stand.device.relay.weather = 'slow';
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
  });

  for (const [title, weather] of [
    ['gives a silent device up, and finds it when it speaks again', 'silent'],
    ['survives a device that answers with noise', 'garbage'],
  ] as const)
    it(title, async () => {
      await using stand = await open();
      await stand.bench.start(1, stand.settings);
      const group = stand.bench.group(1, 1, points);
      await group.until('values come', isWhole, recovery);
      stand.device.relay.weather = weather;
      await group.until('every point has a fault', isFailed, recovery);
      stand.device.relay.weather = 'pass';
      await group.until('values come', isWhole, recovery);
    });

  it('keeps two nodes apart', async () => {
    await using stand = await open();
    await using second = await PeerOnBench.start(options.device);
    await stand.bench.start(1, stand.settings);
    await stand.bench.start(2, second.settings);
    const one = stand.bench.group(1, 1, points);
    const other = stand.bench.group(2, 2, points);
    await one.until('values come', isWhole, recovery);
    await other.until('values come', isWhole, recovery);
    await stand.device.relay.vanish();
    await one.until('every point of the dead device has a fault', isFailed, recovery);
    for (let count = 0; count < 5; count++)
      expect((await other.next()).every(isValue), 'the other node').to.equal(true);
    await stand.bench.stop(1);
    for (let count = 0; count < 3; count++)
      expect((await other.next()).every(isValue), 'the other node').to.equal(true);
  });

  it('leaves nothing behind after a stop', async () => {
    const line = form === 'forked' ? { execArgv: withProbe } : {};
    await using stand = await open(line);
    const runner = form === 'forked' ? stand.bench.line : undefined;
    await stand.device.relay.vanish();
    const before = await resourcesOf(runner);
    for (let run = 1; run <= 2; run++) {
      await stand.device.relay.appear();
      await stand.bench.start(1, stand.settings);
      await stand.bench.group(1, run, points).until('values come', isWhole, recovery);
      await stand.bench.stop(1);
      expect(await soon(() => stand.device.relay.open === 0), 'the connections are closed').to.equal(true);
      await stand.device.relay.vanish();
    }
    await settled(before, runner);
  });
}

/** What typeof says of a value in a sample: BOOL and BIT are read as their types say. */
function sampled(point: TestPoint): string {
  return kindOf(tagOf(point).type);
}
