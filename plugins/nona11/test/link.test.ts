import { expect } from 'chai';
import { ErrorCode } from '@tagway/sdk';
import { expectDialIn, expectAbort, expectReassembly, expectRestart, readings, until } from '@tagway/testkit';
import { openFixture, pointsOf, openServerFixture } from './fixture.ts';
import { frameOf, Simulator } from './simulator.ts';

const points = pointsOf('3!0', '4!0');
const values = [3, 4];

function device(): Simulator {
  const simulator = new Simulator();
  simulator.replies.set('1!3', Buffer.of(0, 3)).set('1!4', Buffer.of(0, 4));
  return simulator;
}

describe('the link', function () {
  this.timeout(30_000);

  it('gives the tags of a silent device NO_RESPONSE, makes the connection anew, and takes no late answer', async () => {
    await using fixture = await openFixture({}, device());
    const { simulator, driver } = fixture;
    let late: (() => void) | undefined;
    simulator.script = (_frame, _usual, send) => {
      late = () => send(frameOf(1, 3, Buffer.of(9, 9)));
      return [];
    };
    const first = points.slice(0, 1);
    expect(await readings(driver, first)).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
    late?.();
    simulator.script = undefined;
    await until('values come again', async () => {
      const [value] = await readings(driver, first);
      expect(value).to.not.equal(0x0909);
      return value === 3;
    });
    expect(simulator.connections).to.be.above(1);
  });

  it('does not let a silent site slow the others', async () => {
    await using fixture = await openFixture({}, device());
    const { simulator, driver } = fixture;
    const mixed = pointsOf('3!0', '2!3!0');
    await until('the silent site is left alone', async () => {
      await readings(driver, mixed);
      return simulator.takeRequests().filter((request) => request === '2!3').length === 0;
    });
    for (let round = 0; round < 5; round++)
      expect(await readings(driver, mixed)).to.deep.equal([3, { fault: ErrorCode.NO_RESPONSE }]);
    expect(simulator.takeRequests()).to.deep.equal(['1!3', '1!3', '1!3', '1!3', '1!3']);
  });

  it('takes half a frame and the rest, two frames at once, and single bytes', async () => {
    await using fixture = await openFixture({}, device());
    const { simulator, driver, record } = fixture;
    await expectReassembly(fixture, points, values, 5);
    simulator.script = (_frame, usual) => [Buffer.concat([frameOf(9, 3, Buffer.of(7, 7)), usual()])];
    expect(await readings(driver, points), 'that of another site first').to.deep.equal(values);
    expect(record.counts.get('foreign_frames')).to.be.at.least(2);
  });

  it('drops the connection at garbage', async () => {
    await using fixture = await openFixture({}, device());
    const { simulator, driver } = fixture;
    simulator.script = (_frame, usual) => [Buffer.concat([Buffer.from('noise'), usual()])];
    const [first] = await readings(driver, points);
    expect([ErrorCode.DISCONNECTED, ErrorCode.DECODE_FAILED]).to.include((first as { fault: number }).fault);
    simulator.script = undefined;
    await until('values come again', async () => (await readings(driver, points))[0] === 3);
  });

  it('survives a device that restarts in the middle of a poll', async () => {
    await using fixture = await openFixture({}, device());
    await expectRestart(fixture, points, values);
  });

  it('ends a read when its call does', async () => {
    await using fixture = await openFixture({ timeout: 20_000 }, device());
    await expectAbort(fixture, points);
  });

  it('lets a device dial in', async () => {
    await using simulator = device();
    await expectDialIn(simulator, openServerFixture, points, values, 'NON A11');
  });
});
