import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import {
  SerialCable,
  expectInterval,
  faultsOf,
  itWithSerialPort,
  readings,
  until,
  untilRead,
} from '@tagway/testkit';
import { other, own, pointsOf, openSerialFixture } from './fixture.ts';
import { Simulator } from './simulator.ts';

const points = pointsOf('00-01-00-00', `${other}#02-01-01-00`);
const values = [26, 2205];

/** Meters at the end of a cable. */
async function wired(): Promise<{ simulator: Simulator; cable: SerialCable } & AsyncDisposable> {
  const simulator = new Simulator();
  simulator
    .meter(own, { '00-01-00-00': '26 00 00 00' })
    .meter(other, { '02-01-01-00': '05 22', '02-01-02-00': '06 22' });
  const cable = await SerialCable.open(await simulator.listen());
  return {
    simulator,
    cable,
    async [Symbol.asyncDispose]() {
      await cable[Symbol.asyncDispose]();
      await simulator.close();
    },
  };
}

describe('a serial port', function () {
  this.timeout(20_000);

  itWithSerialPort('carries the frames of several meters', async () => {
    await using at = await wired();
    await using fixture = await openSerialFixture(at.cable.near, { timeout: 1000 });
    await untilRead(fixture.driver, points, values);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  });

  itWithSerialPort('is opened again after the adapter was pulled out and plugged in', async () => {
    await using at = await wired();
    await using fixture = await openSerialFixture(at.cable.near, { timeout: 1000 });
    await untilRead(fixture.driver, points, values);
    await at.cable.unplug();
    await until('the loss is noticed', () => fixture.link === LinkState.DISCONNECTED);
    expect(await readings(fixture.driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
    await at.cable.plug();
    await untilRead(fixture.driver, points, values);
  });

  itWithSerialPort('keeps the interval between an answer and the next request', async () => {
    await using at = await wired();
    await using fixture = await openSerialFixture(at.cable.near, { timeout: 1000, interval: 80 });
    await untilRead(fixture.driver, points, values);
    await expectInterval(at.simulator, 80, () =>
      readings(fixture.driver, [...points, ...pointsOf(`${other}#02-01-02-00`)]),
    );
  });
});
