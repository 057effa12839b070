import { expect } from 'chai';
import { rowsOf } from '@tagway/sdk';
import type { Library } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';

/** Registers a test of source times and qualities, for a driver whose device reports them. */
export function testStamps(library: Library, options: DriverConformance): void {
  const { points, recovery = 30_000, stamped = [] } = options;
  if (stamped.length === 0) return;

  it('passes on when values arose and how good they are', async function () {
    await using fixture = await DriverFixture.open('inline', library, options);
    await fixture.harness.start(1, fixture.settings);
    const known = points.filter(({ address }) => stamped.includes(address));
    expect(
      known.map(({ address }) => address),
      'points of the test that are stamped',
    ).to.deep.equal(stamped);
    const group = fixture.harness.group(1, 1, known);
    await group.until('values come', isWhole, recovery);
    const sample = group.samples().findLast(({ rows }) => rows === undefined);
    if (sample === undefined) throw new Error('There is no sample.');
    let index = 0;
    for (const { time, quality } of rowsOf(sample, { all: true })) {
      const { address } = known[index++] ?? { address: '' };
      // A device without a clock reports only the quality.
      expect(Number.isNaN(time) && quality === 0, `${address} has neither source time nor quality`).to.equal(
        false,
      );
      const when = Number.isNaN(time) ? 'no time' : new Date(time).toISOString();
      if (this.test) this.test.title += `\n        ${address}: ${when}, quality 0x${quality.toString(16)}`;
    }
    expect(index).to.equal(known.length);
  });
}
