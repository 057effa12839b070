import { expect } from 'chai';
import { tagOf } from '../plugin-harness.ts';
import { isWhole } from '../reading.ts';
import type { DriverConformance, DriverFixture } from './driver-fixture.ts';

/** Registers tests of writes. */
export function testWrites(
  open: () => Promise<DriverFixture>,
  { points, refused, recovery = 30_000 }: DriverConformance,
  writes: NonNullable<DriverConformance['writes']>,
): void {
  it('writes, and reads back what it wrote', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
    const tasks = writes.map((write, index) => ({ tag: tagOf(write, index), value: write.value }));
    const failed = await fixture.harness.runner.ask({ op: 'write', node: 1, writes: tasks });
    fixture.device.check();
    expect(failed).to.deep.equal([]);
    for (const { value, ...point } of writes)
      expect(await fixture.harness.test(1, point), point.address).to.deep.equal(value);
  });

  it('reports the fault of a write in its place', async () => {
    await using fixture = await open();
    await fixture.harness.start(1, fixture.settings);
    await fixture.harness.group(1, 1, points).until('values come', isWhole, recovery);
    const [good] = writes.map((write) => ({ tag: tagOf(write), value: write.value }));
    if (good === undefined) throw new Error('There are no writes to test with.');
    const bad = { tag: tagOf({ ...refused, type: good.tag.type }, 1), value: good.value };
    const failed = (await fixture.harness.runner.ask({ op: 'write', node: 1, writes: [good, bad] })) as [
      number,
    ][];
    fixture.device.check();
    expect(failed.map(([index]) => index)).to.deep.equal([1]);
  });
}
