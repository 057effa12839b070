import { Limits } from '@tagway/schemas';
import { expect } from 'chai';
import type { FaultData } from '@tagway/sdk/internal';
import { PluginHarness, tagOf } from '../plugin-harness.ts';
import { type Library, settingsOf } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';
import { showFault, showText } from './text.ts';

/** Registers tests of the texts that operators read when something fails, and of those that are written. */
export function testTexts(library: Library, options: DriverConformance): void {
  const { failingSettings, points, recovery = 30_000, refused, refusedSettings, writes = [] } = options;

  it('plugin.json lets the gateway write texts as long as those of the tests', () => {
    const longest = library.manifest.tags?.longestText ?? Limits.stringValue;
    for (const { address, value } of writes)
      if (typeof value === 'string') expect(Buffer.byteLength(value), address).to.be.at.most(longest);
  });

  it('gives in a sentence the reason why a point has no value', async function () {
    await using fixture = await DriverFixture.open('inline', library, options);
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
    const [outcome] = await fixture.harness.group(1, 2, [refused]).next();
    showFault(this.test, outcome, 'Read: ');
    showFault(this.test, await fixture.harness.test(1, refused).catch((error: unknown) => error), 'Read: ');
  });

  const [good] = writes;
  if (good !== undefined) {
    it('gives in a sentence the reason why a write failed', async function () {
      await using fixture = await DriverFixture.open('inline', library, options);
      await fixture.harness.start(1, fixture.settings);
      await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
      const tag = tagOf({ ...refused, type: tagOf(good).type });
      const failed = await fixture.harness.runner.ask({
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
      await using harness = await PluginHarness.open('inline', library);
      const settings = settingsOf(library, { ...options.device.settings(1), ...refusedSettings });
      const check = harness.runner.ask({ op: 'checkSettings', settings });
      showFault(this.test, await check.catch((error: unknown) => error), 'Settings: ');
    });
  }

  if (failingSettings !== undefined) {
    it('gives in a sentence the reason why it cannot start', async function () {
      await using fixture = await DriverFixture.open('inline', library, options);
      const started = fixture.harness.start(1, { ...fixture.settings, ...failingSettings });
      const outcome = await started.catch((error: unknown) => error);
      showFault(this.test, outcome, 'Start: ');
    });
  }
}
