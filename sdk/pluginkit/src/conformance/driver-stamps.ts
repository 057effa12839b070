import { expect } from 'chai';
import { rowsOf } from '@tagway/sdk';
import type { Library } from '../library.ts';
import { isWhole } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';

/** Registers a test of source times and qualities, of a driver whose device tells them. */
export function testStamps(library: Library, options: DriverConformance): void {
  const { points, recovery = 30_000, stamped = [] } = options;
  if (stamped.length === 0) return;

  it('passes on when values arose and how good they are', async function () {
    await using stand = await Stand.open('inline', library, options);
    await stand.bench.start(1, stand.settings);
    const known = points.filter(({ address }) => stamped.includes(address));
    expect(
      known.map(({ address }) => address),
      'points of the test that are stamped',
    ).to.deep.equal(stamped);
    const group = stand.bench.group(1, 1, known);
    await group.until('values come', isWhole, recovery);
    const sample = group.samples().findLast(({ rows }) => rows === undefined);
    if (sample === undefined) throw new Error('There is no sample.');
    let index = 0;
    for (const { time, quality } of rowsOf(sample, { all: true })) {
      const { address } = known[index++] ?? { address: '' };
      // A quality alone will do, of a device without a clock.
      expect(Number.isNaN(time) && quality === 0, `${address} has neither source time nor quality`).to.equal(
        false,
      );
      const when = Number.isNaN(time) ? 'no time' : new Date(time).toISOString();
      if (this.test) this.test.title += `\n        ${address}: ${when}, quality 0x${quality.toString(16)}`;
    }
    expect(index).to.equal(known.length);
  });
}
