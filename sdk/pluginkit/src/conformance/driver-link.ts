import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import type { Form } from '@tagway/sdk/internal';
import type { Library } from '../library.ts';
import { isFailed, isWhole } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { flawOfText } from './text.ts';

/** Longer than any test: what comes of such a group was not waited for. */
const never = 3_600_000;

/** Registers tests of what a driver tells of its link, and of what follows from that. */
export function testLink(form: Form, library: Library, options: DriverConformance): void {
  const { points, recovery = 30_000 } = options;

  it('lets no tag keep its value when the link is lost, and reads all when it is back', async () => {
    await using stand = await Stand.open(form, library, options);
    await stand.bench.start(1, stand.settings);
    const polled = stand.bench.group(1, 1, points);
    const seldom = stand.bench.group(1, 2, points, never);
    await polled.until('values come', isWhole, recovery);
    await seldom.pollUntil('values come', isWhole, recovery);
    await stand.device.relay.vanish();
    await seldom.until('the group that is read once an hour has faults', isFailed, recovery);
    await stand.device.relay.appear();
    // What is pushed comes with a tick, unless it is reported as an event.
    if (library.manifest.features?.includes('watch') === true)
      await polled.until('values come again', isWhole, recovery);
    else await seldom.until('the group that is read once an hour has values', isWhole, recovery);
  });

  it('tells why there is no link', async () => {
    await using stand = await Stand.open(form, library, options);
    await stand.device.relay.vanish();
    await stand.bench.start(1, stand.settings);
    const group = stand.bench.group(1, 1, points);
    const isTold = (): boolean =>
      stand.link !== LinkState.CONNECTED && stand.linkReport?.reason !== undefined;
    await group.until(
      'the driver tells that its device is absent',
      (reading) => isFailed(reading) && isTold(),
      recovery,
    );
    expect(flawOfText(stand.linkReport?.reason ?? '')).to.equal(undefined);
    await stand.device.relay.appear();
    await group.until('values come', isWhole, recovery);
    const { length } = stand.bench.line.received;
    await stand.device.relay.vanish();
    const lost = await stand.bench.line.next(
      (message) =>
        message.op === 'link' && message.link !== LinkState.CONNECTED && message.part === undefined,
      length,
    );
    expect(flawOfText(('reason' in lost ? lost.reason : undefined) ?? '')).to.equal(undefined);
  });
}
