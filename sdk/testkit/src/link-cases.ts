import { expect } from 'chai';
import { ErrorCode, LinkState, type Driver, type Point } from '@tagway/sdk';
import { dialIn } from './dial-in.ts';
import type { FrameServer } from './frame-server.ts';
import { freePort } from './listening.ts';
import type { Plant } from './plant.ts';
import { callOf, readings, type Reading } from './readings.ts';
import { until } from './until.ts';

/** What the link of every driver goes through. The values are what the points have while all is well. */

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

/** Frames come byte by byte, in two pieces cut at `cut`, and twice at once. */
export async function expectPieces(
  { simulator, driver }: Plant<FrameServer>,
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

/** The device goes in the middle of a poll, stays away, and comes back. */
export async function expectRestart(
  plant: Plant<FrameServer>,
  points: readonly Point[],
  values: readonly Reading[],
): Promise<void> {
  const { simulator, driver } = plant;
  await untilRead(driver, points, values);
  simulator.script = () => {
    simulator.cut();
    return [];
  };
  expect(await readings(driver, points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
  const { port } = simulator;
  await simulator.close();
  await until('the link is down', () => plant.link === LinkState.DISCONNECTED);
  simulator.script = undefined;
  await simulator.listen(port);
  await untilRead(driver, points, values);
}

/** A read that waits for a silent device ends with its call. */
export async function expectEndOfCall(
  { simulator, driver }: Plant<FrameServer>,
  points: readonly Point[],
): Promise<void> {
  simulator.script = () => [];
  const abort = new AbortController();
  const reading = readings(driver, points, callOf('poll', abort.signal)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await until('it was asked', () => simulator.asked.length > 0);
  const reason = new Error('enough');
  abort.abort(reason);
  expect(await reading).to.equal(reason);
  simulator.script = undefined;
}

/** The device dials in to a driver that listens, and does so again. */
export async function expectCallers(
  device: FrameServer,
  serverAt: (port: number) => Promise<Plant<object>>,
  points: readonly Point[],
  values: readonly Reading[],
): Promise<void> {
  await device.listen();
  const port = await freePort();
  await using plant = await serverAt(port);
  expect(await plant.readings(points)).to.deep.equal(faultsOf(points, ErrorCode.DISCONNECTED));
  for (let round = 0; round < 2; round++) {
    await using _caller = await dialIn(port, device.port);
    await untilRead(plant.driver, points, values);
    expect(plant.link).to.equal(LinkState.CONNECTED);
  }
  await until('the loss is told', () => plant.link === LinkState.DISCONNECTED);
}

/** Three requests of the work come no closer to each other than the interval of the settings. */
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
