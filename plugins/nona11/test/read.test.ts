import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { callOf, expectInterval, readings } from '@tagway/testkit';
import { openFixture, pointsOf } from './fixture.ts';

const fault = (code: number): object => ({ fault: code });
const beyond = 10_400;
const bytes = Buffer.from('fffe123480000000ffffffff3fc00000' + '41424300' + 'e4b8ad', 'hex');

describe('reading', function () {
  this.timeout(20_000);

  it('takes slices of one answer for each site and command, the highest byte first', async () => {
    await using fixture = await openFixture();
    const { simulator, driver } = fixture;
    simulator.replies.set('1!3', bytes).set('1!4', Buffer.of(0, 9)).set('7!3', Buffer.of(0, 8));
    const points = pointsOf(
      ['3!0', DataType.INT16],
      '3!2',
      ['1!3!4', DataType.INT32],
      ['3!8', DataType.UINT32],
      ['3!12', DataType.FLOAT],
      ['3!16.4', DataType.STRING],
      ['3!20.3', DataType.STRING],
      '4!0',
      '7!3!0',
    );
    expect(await readings(driver, points)).to.deep.equal([
      -2,
      0x1234,
      -0x8000_0000,
      0xffff_ffff,
      1.5,
      'ABC',
      '中',
      9,
      8,
    ]);
    expect(simulator.takeRequests()).to.deep.equal(['1!3', '1!4', '7!3']);
  });

  it('lets a slice beyond the answer, and bytes that are no text, cost their own tags alone', async () => {
    await using fixture = await openFixture();
    fixture.simulator.replies.set('1!3', bytes);
    const points = pointsOf('3!22', ['3!0.2', DataType.STRING], '3!2', ['3!20', DataType.UINT32]);
    expect(await readings(fixture.driver, points)).to.deep.equal([
      fault(beyond),
      fault(ErrorCode.DECODE_FAILED),
      0x1234,
      fault(beyond),
    ]);
  });

  it('remembers what the device refuses, and asks again later', async () => {
    await using fixture = await openFixture();
    const { simulator, driver, record } = fixture;
    simulator.replies.set('1!3', bytes);
    const points = pointsOf('5!0', '3!2');
    for (let round = 0; round < 3; round++)
      expect(await readings(driver, points)).to.deep.equal([fault(ErrorCode.READ_FAILED), 0x1234]);
    expect(simulator.takeRequests()).to.deep.equal(['1!5', '1!3', '1!3', '1!3']);
    simulator.replies.set('1!5', Buffer.of(0, 5));
    expect(await readings(driver, points, callOf('test')), 'a test read asks').to.deep.equal([5, 0x1234]);
    expect((await readings(driver, points))[0], 'and changes nothing').to.deep.equal(
      fault(ErrorCode.READ_FAILED),
    );
    record.clockOffset += 11_000;
    expect(await readings(driver, points)).to.deep.equal([5, 0x1234]);
  });

  it('keeps the interval between two requests', async () => {
    await using fixture = await openFixture({ interval: 60 });
    const { simulator, driver } = fixture;
    for (const command of [3, 4, 5]) simulator.replies.set(`1!${command}`, bytes);
    // Two groups at once keep it too.
    await expectInterval(simulator, 60, () =>
      Promise.all([readings(driver, pointsOf('3!0', '4!0')), readings(driver, pointsOf('5!0'))]),
    );
  });

  it('says in the log that the frames are assumed', async () => {
    await using fixture = await openFixture();
    expect(
      fixture.record.logs.filter((line) => line.includes('assumed, not verified with a device')),
    ).to.have.length(1);
  });
});
