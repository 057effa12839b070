import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import {
  expectDialIn,
  expectAbort,
  expectReassembly,
  expectRestart,
  faultsOf,
  readings,
  until,
  untilRead,
} from '@tagway/testkit';
import { other, own, openFixture, pointsOf, openServerFixture } from './fixture.ts';
import { Simulator } from './simulator.ts';

const points = pointsOf('02-01-01-00', '02-01-02-00');
const values = [2205, 2206];

function meters(): Simulator {
  return new Simulator().meter(own, { '02-01-01-00': '05 22', '02-01-02-00': '06 22' });
}

describe('the link', function () {
  this.timeout(30_000);

  it('is made anew when no meter answers, and says why', async () => {
    await using fixture = await openFixture({}, meters());
    const { simulator, driver, record } = fixture;
    simulator.script = () => [];
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.NO_RESPONSE));
    await until('the link is down', async () => {
      record.clockOffset += 5000;
      await readings(driver, points);
      return fixture.link === LinkState.DISCONNECTED;
    });
    expect(fixture.reason).to.contain('no meter has answered');
    simulator.script = undefined;
    await untilRead(driver, points, values);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });

  it('is made anew although a meter answered whose tags are gone', async () => {
    const simulator = meters().meter(other, { '02-01-01-00': '09 22' });
    await using fixture = await openFixture({}, simulator);
    const { driver, record } = fixture;
    const both = pointsOf('02-01-01-00', `${other}#02-01-01-00`);
    expect(await readings(driver, both)).to.deep.equal([2205, 2209]);
    simulator.script = () => [];
    await until('the link is down', async () => {
      record.clockOffset += 5000;
      await readings(driver, points);
      return fixture.link === LinkState.DISCONNECTED;
    });
    simulator.script = undefined;
    await untilRead(driver, points, values);
  });

  it('is kept while a meter answers that is read more rarely than the silent ones', async () => {
    const simulator = meters();
    await using fixture = await openFixture({}, simulator);
    const { driver, record } = fixture;
    expect(await readings(driver, points)).to.deep.equal(values);
    const silent = pointsOf(`${other}#02-01-01-00`);
    for (let round = 0; round < 6; round++) {
      record.clockOffset += 70_000;
      expect(await readings(driver, silent)).to.deep.equal(faultsOf(silent, ErrorCode.NO_RESPONSE));
    }
    expect(simulator.connections, 'the connection is kept').to.equal(1);
    expect(await readings(driver, points)).to.deep.equal(values);
  });

  it('does not take a late answer for that of another item', async () => {
    await using fixture = await openFixture({}, meters());
    const { simulator, driver, record } = fixture;
    simulator.meter(own, { '02-01-02-00': '06 22' });
    const late = simulator.holdBack();
    expect(await readings(driver, points.slice(0, 1))).to.deep.equal([{ fault: ErrorCode.NO_RESPONSE }]);
    simulator.script = (_frame, usual, send) => {
      late();
      setTimeout(() => send(usual()), 30);
      return [];
    };
    expect(await readings(driver, points.slice(1))).to.deep.equal([2206]);
    expect(record.counts.get('foreign_frames')).to.equal(1);
    expect(simulator.connections, 'the connection is kept').to.equal(1);
  });

  it('does not take a late error for that of another item', async () => {
    await using fixture = await openFixture({}, meters());
    const { simulator, driver } = fixture;
    let late: (() => void) | undefined;
    simulator.script = (_frame, _usual, send) => {
      late = () => send(simulator.frame(own, 0xd1, Buffer.of(2)));
      return [];
    };
    await readings(driver, points.slice(0, 1));
    simulator.script = (_frame, usual, send) => {
      late?.();
      late = undefined;
      setTimeout(() => send(usual()), 30);
      return [];
    };
    expect(await readings(driver, points.slice(1))).to.deep.equal([2206]);
  });

  it('takes half a frame and the rest, two frames at once, single bytes, and any number of wake-up bytes', async () => {
    await using fixture = await openFixture({}, meters());
    await expectReassembly(fixture, points, values, 9);
    for (const count of [0, 1, 9]) {
      fixture.simulator.preamble = Buffer.alloc(count, 0xfe);
      expect(await readings(fixture.driver, points), `${count} bytes`).to.deep.equal(values);
    }
  });

  it('finds the answer behind noise and frames of other meters, and says when it is damaged', async () => {
    await using fixture = await openFixture({}, meters());
    const { simulator, driver, record } = fixture;
    const noise = Buffer.from('0068ff681668', 'hex');
    simulator.script = (frame, usual) => [
      Buffer.concat([
        noise,
        frame,
        simulator.frame(other, 0x91, Buffer.from('000101021122', 'hex')),
        usual(),
      ]),
    ];
    expect(await readings(driver, points)).to.deep.equal(values);
    simulator.script = (_frame, usual) => {
      const answer = usual();
      answer[answer.length - 3] = 0x99;
      return [answer];
    };
    expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DECODE_FAILED));
    expect(record.counts.get('malformed_frames')).to.equal(2);
    simulator.script = undefined;
    expect(await readings(driver, points)).to.deep.equal(values);
    expect(simulator.connections).to.equal(1);
  });

  it('survives a device server that restarts in the middle of a poll', async () => {
    await using fixture = await openFixture({}, meters());
    await expectRestart(fixture, points, values);
  });

  it('ends a read when its call does', async () => {
    await using fixture = await openFixture({ timeout: 20_000 }, meters());
    await expectAbort(fixture, points);
    expect(await readings(fixture.driver, points)).to.deep.equal(values);
  });

  it('lets a device server dial in, the newest one counting', async () => {
    await using simulator = meters();
    await expectDialIn(simulator, openServerFixture, points, values, 'DL/T645');
  });
});
