import { expect } from 'chai';
import { ErrorCode, LinkState, type Driver, type ListeningPlace, type Point } from '@tagway/sdk';
import { dialIn } from './dial-in.ts';
import type { FrameServer } from './frame-server.ts';
import { freePort } from './listening.ts';
import type { DriverFixture } from './driver-fixture.ts';
import { callOf, readings, type Reading } from './readings.ts';
import { until } from './until.ts';

/** Test cases that the link of every driver has to pass. `values` are those of the points while all works. */

export const faultsOf = (points: readonly Point[], fault: number): Reading[] => points.map(() => ({ fault }));

export async function untilRead(
  driver: Driver,
  points: readonly Point[],
  values: readonly Reading[],
): Promise<void> {
  await until('values come', async () =>
    (await readings(driver, points)).every((one, at) => one === values[at]),
  );
}

/** Frames arrive byte by byte, in two pieces split at `cut`, and twice in one piece. */
export async function expectReassembly(
  { simulator, driver }: DriverFixture<FrameServer>,
  points: readonly Point[],
  values: readonly Reading[],
  cut: number,
): Promise<void> {
  simulator.script = (_frame, usual) => Array.from(usual(), (byte) => Buffer.of(byte));
  expect(await readings(driver, points), 'single bytes').to.deep.equal(values);
  simulator.script = (_frame, usual, send) => {
    const answer = usual();
    setTimeout(() => send(answer.subarray(cut)), 40);
    return [answer.subarray(0, cut)];
  };
  expect(await readings(driver, points), 'halves').to.deep.equal(values);
  simulator.script = (_frame, usual) => [Buffer.concat([usual(), usual()])];
  expect(await readings(driver, points), 'twice at once').to.deep.equal(values);
  expect(await readings(driver, points), 'and again').to.deep.equal(values);
  simulator.script = undefined;
}

/** The device disconnects during a poll, stops listening, and starts again. */
export async function expectRestart(
  fixture: DriverFixture<FrameServer>,
  points: readonly Point[],
  values: readonly Reading[],
): Promise<void> {
  const { simulator, driver } = fixture;
  await untilRead(driver, points, values);
  simulator.script = () => {
    simulator.disconnectAll();
    return [];
  };
  expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
  const { port } = simulator;
  await simulator.close();
  await until('the link is down', () => fixture.link === LinkState.DISCONNECTED);
  simulator.script = undefined;
  await simulator.listen(port);
  await untilRead(driver, points, values);
}

/** A read that waits for a silent device ends when its call is aborted. */
export async function expectAbort(
  { simulator, driver }: DriverFixture<FrameServer>,
  points: readonly Point[],
): Promise<void> {
  simulator.script = () => [];
  const abort = new AbortController();
  const reading = readings(driver, points, callOf('poll', abort.signal)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await until('it was asked', () => simulator.requests.length > 0);
  const reason = new Error('enough');
  abort.abort(reason);
  expect(await reading).to.equal(reason);
  simulator.script = undefined;
}

/** What a driver announces that waits at this port for its device to dial in. */
export function dialInPlace(port: number, protocol: string): ListeningPlace {
  return { host: '127.0.0.1', port, protocol, isEncrypted: false, isRestricted: false, mayWrite: false };
}

/** The device connects to a driver that listens, twice. */
export async function expectDialIn(
  device: FrameServer,
  serverAt: (port: number) => Promise<DriverFixture<object>>,
  points: readonly Point[],
  values: readonly Reading[],
  protocol: string,
): Promise<void> {
  await device.listen();
  const port = await freePort();
  await using fixture = await serverAt(port);
  expect(fixture.record.places).to.deep.equal([dialInPlace(port, protocol)]);
  expect(await fixture.readings(points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
  for (let round = 0; round < 2; round++) {
    await using _caller = await dialIn(port, device.port);
    await untilRead(fixture.driver, points, values);
    expect(fixture.link).to.equal(LinkState.CONNECTED);
  }
  await until('the loss is reported', () => fixture.link === LinkState.DISCONNECTED);
}

/** `work` makes three requests, which are at least the interval of the settings apart. */
export async function expectInterval(
  simulator: FrameServer,
  interval: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const times: number[] = [];
  simulator.script = (_frame, usual) => {
    times.push(performance.now());
    return [usual()];
  };
  await work();
  expect(times).to.have.length(3);
  // Timers and the clock round differently.
  for (const [index, time] of times.slice(1).entries())
    expect(time - (times[index] as number)).to.be.at.least(interval - 2);
}
