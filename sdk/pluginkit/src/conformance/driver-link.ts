import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Form } from '@tagway/sdk/harness';
import type { Library } from '../library.ts';
import { isFailed, isWhole } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';
import { expectSettingOf } from './files.ts';
import { flawOfText } from './text.ts';

/** An interval longer than any test: such a group is never read by its tick. */
const never = 3_600_000;

/** Registers tests of the link states that a driver reports, and of their consequences. */
export function testLink(form: Form, library: Library, options: DriverConformance): void {
  const { points, recovery = 30_000 } = options;

  it('lets no tag keep its value when the link is lost, and reads all when it is back', async () => {
    await using fixture = await DriverFixture.open(form, library, options);
    await fixture.harness.start(1, fixture.settings);
    const polled = fixture.harness.group(1, 1, points);
    const seldom = fixture.harness.group(1, 2, points, never);
    await polled.until('values come', isWhole, recovery);
    await seldom.pollUntil('values come', isWhole, recovery);
    await fixture.device.relay.shutDown();
    await seldom.until('the group that is read once an hour has faults', isFailed, recovery);
    await fixture.device.relay.listen();
    // Pushed values are sent at a tick, unless they are reported as events.
    if (library.manifest.features?.includes('watch') === true)
      await polled.until('values come again', isWhole, recovery);
    else await seldom.until('the group that is read once an hour has values', isWhole, recovery);
  });

  it('reports why there is no link', async () => {
    await using fixture = await DriverFixture.open(form, library, options);
    await fixture.device.relay.shutDown();
    await fixture.harness.start(1, fixture.settings);
    const group = fixture.harness.group(1, 1, points);
    const isTold = (): boolean =>
      fixture.link !== LinkState.CONNECTED && fixture.linkReport?.reason !== undefined;
    await group.until(
      'the driver reports that its device is absent',
      (reading) => isFailed(reading) && isTold(),
      recovery,
    );
    expect(flawOfText(fixture.linkReport?.reason ?? '')).to.equal(undefined);
    const { step } = fixture.linkReport ?? {};
    if (step !== undefined) expectSettingOf(library, step === 'first answer' ? 'answer' : step);
    await fixture.device.relay.listen();
    await group.until('values come', isWhole, recovery);
    const { length } = fixture.harness.runner.received;
    await fixture.device.relay.shutDown();
    const lost = await fixture.harness.runner.next(
      (message) =>
        message.op === 'link' && message.link !== LinkState.CONNECTED && message.part === undefined,
      length,
    );
    expect(flawOfText(('reason' in lost ? lost.reason : undefined) ?? '')).to.equal(undefined);
  });
}
