import { expect } from 'chai';
import { ErrorCode } from '@tagway/sdk';
import {
  expectReassembly,
  expectRestart,
  faultsOf,
  pointsOf,
  readings,
  untilRead,
  type FrameServer,
  type DriverFixture,
} from '@tagway/testkit';

type WordPlc = FrameServer & { readonly d: Uint16Array };

/** What the connection to every PLC of words goes through. Its frames are cut at `cut`, within the head. */
export function testsOfFraming(openFixture: () => Promise<DriverFixture<WordPlc>>, cut: number): void {
  const points = pointsOf('D0', 'D1');
  const values = [0, 0];

  it('takes half a frame and the rest, two frames at once, and single bytes', async () => {
    await using fixture = await openFixture();
    fixture.simulator.d.set([5, 6]);
    await expectReassembly(fixture, points, [5, 6], cut);
    expect(fixture.record.counts.get('foreign_frames')).to.be.within(1, 2);
  });

  it('drops the connection at garbage', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    await untilRead(driver, points, values);
    simulator.script = (_frame, usual) => [Buffer.concat([Buffer.from('noise'), usual()])];
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DECODE_FAILED));
    simulator.script = undefined;
    await untilRead(driver, points, values);
    expect(simulator.connections).to.equal(2);
  });

  it('survives a PLC that restarts in the middle of a poll', async () => {
    await using fixture = await openFixture();
    await expectRestart(fixture, points, values);
  });
}
