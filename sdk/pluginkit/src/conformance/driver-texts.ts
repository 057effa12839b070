import type { FaultData } from '@tagway/sdk/internal';
import { Bench, tagOf } from '../bench.ts';
import { type Library, settingsOf } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { showFault, showText } from './text.ts';

/** Registers tests of what operators get to read when something fails. */
export function testTexts(library: Library, options: DriverConformance): void {
  const { failingSettings, points, recovery = 30_000, refused, refusedSettings, writes = [] } = options;

  it('tells in a sentence why a point has no value', async function () {
    await using stand = await Stand.open('inline', library, options);
    await stand.bench.start(1, stand.settings);
    await stand.bench.group(1, 1, points).until('values come', isWhole, recovery);
    const [outcome] = await stand.bench.group(1, 2, [refused]).next();
    showFault(this.test, outcome, 'Read: ');
    showFault(this.test, await stand.bench.test(1, refused).catch((error: unknown) => error), 'Read: ');
  });

  const [good] = writes;
  if (good !== undefined) {
    it('tells in a sentence why a write failed', async function () {
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
      showText(this.test, fault.message, 'Write: ');
    });
  }

  if (refusedSettings !== undefined) {
    it('refuses settings that the schema cannot with a sentence', async function () {
      await using bench = await Bench.open('inline', library);
      const settings = settingsOf(library, { ...options.device.settings(1), ...refusedSettings });
      const check = bench.line.ask({ op: 'checkSettings', settings });
      showFault(this.test, await check.catch((error: unknown) => error), 'Settings: ');
    });
  }

  if (failingSettings !== undefined) {
    it('tells in a sentence why it cannot start', async function () {
      await using stand = await Stand.open('inline', library, options);
      const started = stand.bench.start(1, { ...stand.settings, ...failingSettings });
      const outcome = await started.catch((error: unknown) => error);
      showFault(this.test, outcome, 'Start: ');
    });
  }
}
