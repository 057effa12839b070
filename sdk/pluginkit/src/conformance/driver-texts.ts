import { expect } from 'chai';
import { isFault } from '@tagway/sdk';
import type { FaultData } from '@tagway/sdk/internal';
import { Bench, tagOf } from '../bench.ts';
import { type Library, settingsOf } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { flawOfText } from './text.ts';

/** Registers tests of what operators get to read when something fails. */
export function testTexts(library: Library, options: DriverConformance): void {
  const { failingSettings, points, recovery = 30_000, refused, refusedSettings, writes = [] } = options;

  it('tells in a sentence why a point has no value', async () => {
    await using stand = await Stand.open('inline', library, options);
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
    const [outcome] = await stand.bench.group(1, 2, [refused]).next();
    expectText(outcome);
    expectText(await stand.bench.test(1, refused).catch((error: unknown) => error));
  });

  const [good] = writes;
  if (good !== undefined) {
    it('tells in a sentence why a write failed', async () => {
      await using stand = await Stand.open('inline', library, options);
      await stand.bench.start(1, stand.settings);
      await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
      const tag = tagOf({ ...refused, type: tagOf(good).type });
      const failed = await stand.bench.line.ask({
        op: 'write',
        node: 1,
        writes: [{ tag, value: good.value }],
      });
      const [[, fault]] = failed as [[number, FaultData]];
      expect(flawOfText(fault.message)).to.equal(undefined);
    });
  }

  if (refusedSettings !== undefined) {
    it('refuses settings that the schema cannot with a sentence', async () => {
      await using bench = await Bench.open('inline', library);
      const settings = settingsOf(library, { ...options.device.settings(1), ...refusedSettings });
      expectText(await bench.line.ask({ op: 'checkSettings', settings }).catch((error: unknown) => error));
    });
  }

  if (failingSettings !== undefined) {
    it('tells in a sentence why it cannot start', async () => {
      await using stand = await Stand.open('inline', library, options);
      const started = stand.bench.start(1, { ...stand.settings, ...failingSettings });
      const outcome = await started.catch((error: unknown) => error);
      expect(outcome, 'the start').to.not.equal(true);
      if (outcome !== false) return expectText(outcome);
      const [line = ''] = stand.bench.logged('warn');
      expect(flawOfText(line.replace(/^The node does not run: | It is started again .*$/g, ''))).to.equal(
        undefined,
      );
    });
  }
}

function expectText(outcome: unknown): void {
  if (!isFault(outcome)) throw new Error('There is no fault.');
  expect(flawOfText(outcome.message)).to.equal(undefined);
}
