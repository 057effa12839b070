import { expect } from 'chai';
import { Attribute, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import type { Form, HarnessOptions } from '@tagway/sdk/harness';
import type { FaultData } from '@tagway/sdk/internal';
import { PluginHarness, tagOf, type TestPoint } from '../plugin-harness.ts';
import type { Library } from '../library.ts';
import { isFailed, isValue, isWhole, kindOf } from '../reading.ts';
import { testBrowsing } from './driver-browse.ts';
import { testCalls } from './driver-calls.ts';
import { testLink } from './driver-link.ts';
import { testPushes } from './driver-pushes.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';
import { testPeers } from './peers.ts';
import { testStamps } from './driver-stamps.ts';
import { testTexts } from './driver-texts.ts';
import { testWrites } from './driver-writes.ts';
import { testFiles } from './files.ts';
import { confined, withProbe } from './isolation.ts';
import { RelayedPeer } from './peer.ts';
import { resourcesOf, settled, soon } from './resources.ts';
import { showText } from './text.ts';

/** The codes with which a check may refuse a tag. */
const ownCodes: readonly number[] = [
  ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  ErrorCode.TAG_ADDRESS_INVALID,
];

/** Meaningless addresses; a check accepts or refuses them, but does not throw. */
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
    await using harness = await PluginHarness.open('inline', library);
    const patterns = library.manifest.tags?.addresses ?? [];
    const code = async (point: TestPoint): Promise<number> => {
      const tag = tagOf(point);
      const own = patterns.filter(({ type }) => type === tag.type);
      if (own.length === 0) return ErrorCode.TAG_TYPE_UNSUPPORTED;
      if (!own.some(({ pattern }) => new RegExp(pattern, 'u').test(tag.address)))
        return ErrorCode.TAG_ADDRESS_INVALID;
      const [fault] = (await harness.runner.ask({ op: 'checkTags', tags: [tag] })) as readonly (
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
    await using harness = await PluginHarness.open('inline', library);
    for (const { type, pattern, examples = [] } of library.manifest.tags?.addresses ?? []) {
      const tags = examples.map((address) => tagOf({ address, type, attribute: Attribute.READ }));
      const faults = (await harness.runner.ask({ op: 'checkTags', tags })) as readonly (
        FaultData | undefined
      )[];
      for (const [index, address] of examples.entries()) {
        expect(new RegExp(pattern, 'u').test(address), `type ${type}: ${address}`).to.equal(true);
        expect(faults[index], `type ${type}: ${address}`).to.equal(undefined);
      }
    }
  });

  it('the check answers odd addresses with its own codes', async function () {
    await using harness = await PluginHarness.open('inline', library);
    const tags = odd.flatMap((address) =>
      options.points.map(({ type }) => tagOf({ address, ...(type && { type }) })),
    );
    const faults = (await harness.runner.ask({ op: 'checkTags', tags })) as readonly (
      FaultData | undefined
    )[];
    expect(faults).to.have.length(tags.length);
    for (const [index, fault] of faults.entries()) {
      if (fault === undefined) continue;
      expect(ownCodes, tags[index]?.address).to.include(fault.code);
      // One text of each code is enough for the report.
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
      if (library.manifest.features?.includes('browse')) testBrowsing(form, library, options);
    });
  }
  testPeers(library, async () => {
    const fixture = await DriverFixture.open('forked', library, options);
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness
      .group(1, 1, options.points)
      .until('values come', isWhole, options.recovery ?? 30_000);
    return fixture;
  });
  testTexts(library, options);
  testStamps(library, options);

  it('needs to write nowhere but in its data folder', async () => {
    await using fixture = await DriverFixture.open('forked', library, options, { execArgv: confined });
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, options.points).until('values come', isWhole, options.recovery);
    await fixture.harness.stop(1);
    const refused = ['warn', 'error']
      .flatMap((level) => fixture.harness.logged(level))
      .filter((line) => line.includes('ERR_ACCESS'));
    expect(refused).to.deep.equal([]);
  });
}

function testRuns(form: Form, library: Library, options: DriverConformance): void {
  const { points, refused, recovery = 30_000 } = options;
  const open = (harnessOptions?: HarnessOptions): Promise<DriverFixture> =>
    DriverFixture.open(form, library, options, harnessOptions);

  it('reads one outcome per point, of the type of the point', async () => {
    await using fixture = await open();
    expect(await fixture.harness.start(1, fixture.settings)).to.equal(true);
    const group = fixture.harness.group(1, 1, points);
    await group.until('values come', isWhole, recovery).catch((error: unknown) => {
      fixture.device.check();
      throw error;
    });
    expect(await group.next()).to.have.length(points.length);
    expect(fixture.link, 'link').to.equal(LinkState.CONNECTED);
    for (const point of points) {
      const value = await fixture.harness.test(1, point);
      expect(typeof value, `${point.address}: a value of type ${tagOf(point).type}`).to.equal(
        kindOf(tagOf(point).type),
      );
    }
  });

  it('starts again after a stop', async () => {
    await using fixture = await open();
    for (const group of [1, 2]) {
      expect(await fixture.harness.start(1, fixture.settings)).to.equal(true);
      await fixture.harness.group(1, group, points).until('values come', isWhole, recovery);
      await fixture.harness.stop(1);
      expect(fixture.link, 'link').to.equal(LinkState.DISCONNECTED);
    }
  });

  it('can be stopped while it starts, and before', async () => {
    await using fixture = await open();
    await fixture.harness.stop(1);
    const start = fixture.harness.start(1, fixture.settings);
    await fixture.harness.stop(1);
    await start;
    expect(await fixture.harness.start(1, fixture.settings)).to.equal(true);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('takes a new start of the same node for a change of its settings', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
  });

  it('reports a bad address as a fault in its place', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const [first, ...rest] = points;
    const mixed = [...(first ? [first] : []), refused, ...rest];
    const pattern = mixed.map((point) => point === refused);
    await fixture.harness
      .group(1, 1, mixed)
      .until(
        'only the refused point has a fault',
        (reading) => reading.every((one, at) => isFault(one) === pattern[at]),
        recovery,
      );
  });

  it('reads several groups, out of turn too, and follows their changes', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const one = fixture.harness.group(1, 1, points);
    const other = fixture.harness.group(1, 2, points.slice(0, 1), 60_000);
    await one.until('values come', isWhole, recovery);
    await other.pollUntil('values come', isWhole, recovery);
    expect(await other.poll()).to.have.length(1);
    const reversed = [...points].reverse();
    const changed = fixture.harness.group(1, 1, reversed);
    await changed.until('values come', isWhole, recovery);
    expect((await changed.next()).map((value) => typeof value)).to.deep.equal(
      reversed.map((point) => sampled(point)),
    );
  });

  it('reads a group of a thousand points', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...(points[index % points.length] as TestPoint),
      name: `tag${index}`,
    }));
    await fixture.harness.group(1, 1, many, 1000).until('values come', isWhole, 60_000);
  });

  if (options.writes !== undefined) testWrites(open, options, options.writes);

  it('starts without its device, and finds it when it comes', async () => {
    await using fixture = await open();
    await fixture.device.relay.shutDown();
    expect(
      await fixture.harness.start(1, fixture.settings),
      'an absent device is not a failed start',
    ).to.equal(true);
    const group = fixture.harness.group(1, 1, points);
    await group.until('every point has a fault', isFailed, recovery);
    expect(fixture.link, 'link without a device').to.not.equal(LinkState.CONNECTED);
    await fixture.device.relay.listen();
    await group.until('values come', isWhole, recovery);
    expect(fixture.link, 'link').to.equal(LinkState.CONNECTED);
  });

  it('survives a device that dies while it is read, and finds it when it is back', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    const group = fixture.harness.group(1, 1, points);
    await group.until('values come', isWhole, recovery);
    fixture.device.relay.condition = 'dying';
    await group.until('every point has a fault', isFailed, recovery);
    expect(isFailed(await group.poll()), 'a read while the device is gone has no values').to.equal(true);
    await fixture.device.relay.listen();
    await group.until('values come', isWhole, recovery);
  });

  it('takes the answers of a slow device', async () => {
    await using fixture = await open();
    fixture.device.relay.condition = 'slow';
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
  });

  for (const [title, weather] of [
    ['gives a silent device up, and finds it when it speaks again', 'silent'],
    ['survives a device that answers with noise', 'garbage'],
  ] as const)
    it(title, async () => {
      await using fixture = await open();
      await fixture.harness.start(1, fixture.settings);
      const group = fixture.harness.group(1, 1, points);
      await group.until('values come', isWhole, recovery);
      fixture.device.relay.condition = weather;
      await group.until('every point has a fault', isFailed, recovery);
      fixture.device.relay.condition = 'pass';
      await group.until('values come', isWhole, recovery);
    });

  it('keeps two nodes apart', async () => {
    await using fixture = await open();
    await using second = await RelayedPeer.start(options.device);
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.start(2, second.settings);
    const one = fixture.harness.group(1, 1, points);
    const other = fixture.harness.group(2, 2, points);
    await one.until('values come', isWhole, recovery);
    await other.until('values come', isWhole, recovery);
    await fixture.device.relay.shutDown();
    await one.until('every point of the dead device has a fault', isFailed, recovery);
    for (let count = 0; count < 5; count++)
      expect((await other.next()).every(isValue), 'the other node').to.equal(true);
    await fixture.harness.stop(1);
    for (let count = 0; count < 3; count++)
      expect((await other.next()).every(isValue), 'the other node').to.equal(true);
  });

  it('leaves nothing behind after a stop', async () => {
    const line = form === 'forked' ? { execArgv: withProbe } : {};
    await using fixture = await open(line);
    const runner = form === 'forked' ? fixture.harness.runner : undefined;
    await fixture.device.relay.shutDown();
    const before = await resourcesOf(runner);
    for (let run = 1; run <= 2; run++) {
      await fixture.device.relay.listen();
      await fixture.harness.start(1, fixture.settings);
      await fixture.harness.group(1, run, points).until('values come', isWhole, recovery);
      await fixture.harness.stop(1);
      expect(await soon(() => fixture.device.relay.open === 0), 'the connections are closed').to.equal(true);
      await fixture.device.relay.shutDown();
    }
    await settled(before, runner);
  });
}

/** The `typeof` of a value in a sample. */
function sampled(point: TestPoint): string {
  return kindOf(tagOf(point).type);
}
