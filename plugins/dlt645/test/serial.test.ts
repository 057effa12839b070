import { expect } from 'chai';
import { ErrorCode, LinkState } from '@tagway/sdk';
import { readings, until } from '@tagway/testkit';
import { driverOf, other, own, pointsOf, serial } from './plant.ts';
import { Simulator } from './simulator.ts';
import { Cable, hasSocat } from './socat.ts';

function onPort(title: string, work: () => Promise<void>): void {
  if (hasSocat) it(title, work);
  else it.skip(`${title} (skipped: socat is not installed)`);
}

const points = pointsOf('00-01-00-00', `${other}#02-01-01-00`);

/** Meters at the end of a cable. */
async function wired(): Promise<{ simulator: Simulator; cable: Cable } & AsyncDisposable> {
  const simulator = new Simulator();
  simulator.meter(own, { '00-01-00-00': '26 00 00 00' }).meter(other, { '02-01-01-00': '05 22' });
  const cable = await Cable.plug(await simulator.listen());
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

  onPort('carries the frames of several meters', async () => {
    await using at = await wired();
    await using started = await driverOf(serial(at.cable.near, { timeout: 1000 }));
    await until('values come', async () => (await readings(started.driver, points))[1] === 2205);
    expect(await readings(started.driver, points)).to.deep.equal([26, 2205]);
    expect(started.record.links.at(-1)?.state).to.equal(LinkState.CONNECTED);
  });

  onPort('is opened again after the adapter was pulled out and plugged in', async () => {
    await using at = await wired();
    await using started = await driverOf(serial(at.cable.near, { timeout: 1000 }));
    const { driver, record } = started;
    await until('values come', async () => (await readings(driver, points))[1] === 2205);
    await at.cable.pullOut();
    await until('the loss is noticed', () => record.links.at(-1)?.state === LinkState.DISCONNECTED);
    expect(await readings(driver, points)).to.deep.equal(
      points.map(() => ({ fault: ErrorCode.DISCONNECTED })),
    );
    await at.cable.plugIn();
    await until('values come again', async () => (await readings(driver, points))[1] === 2205);
  });

  onPort('keeps the interval between an answer and the next request', async () => {
    await using at = await wired();
    const { simulator } = at;
    const times: number[] = [];
    simulator.script = (_frame, usual) => {
      times.push(performance.now());
      return [usual()];
    };
    await using started = await driverOf(serial(at.cable.near, { timeout: 1000, interval: 80 }));
    await until('values come', async () => (await readings(started.driver, points))[1] === 2205);
    const [first = 0, second = 0] = times.slice(-2);
    // Timers and the clock round differently.
    expect(second - first).to.be.at.least(78);
  });
});
