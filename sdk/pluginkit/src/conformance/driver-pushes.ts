import { expect } from 'chai';
import { Attribute, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import type { Form } from '@tagway/sdk/internal';
import type { Library } from '../library.ts';
import { type Outcome, outcomesOf } from '../reading.ts';
import { type DriverConformance, Stand } from './driver-stand.ts';
import { soon } from './resources.ts';

/** Longer than any test: nothing comes of the ticks of such a group. */
const never = 3_600_000;

/** What a point may carry that the device has not reported yet. */
const unreported: readonly number[] = [ErrorCode.NOT_READY, ErrorCode.DISCONNECTED, ErrorCode.NO_RESPONSE];

/** Registers tests of what a driver pushes. */
export function testPushes(
  form: Form,
  library: Library,
  options: DriverConformance,
  { point, values, report }: NonNullable<DriverConformance['pushes']>,
): void {
  const { recovery = 30_000 } = options;
  const watched = [{ ...point, attribute: Attribute.READ | Attribute.SUBSCRIBE }];

  it('passes on everything that the device reports, in order', async () => {
    await using stand = await Stand.open(form, library, options);
    await stand.bench.start(1, stand.settings);
    const group = stand.bench.group(1, 1, watched, never);
    const isConnected = (message: { op: string }): boolean =>
      message.op === 'link' && 'link' in message && message.link === LinkState.CONNECTED;
    await stand.bench.line.next(isConnected);
    await report(stand.device.peer);
    const last = (): Outcome[] =>
      group
        .samples()
        .filter(({ rows }) => rows !== undefined)
        .flatMap(outcomesOf)
        .slice(-values.length);
    const end = performance.now() + recovery;
    while (performance.now() < end && !equal(last(), values)) await soon(() => equal(last(), values));
    expect(last().map(String)).to.deep.equal(values.map(String));
  });

  it('has no value for a point that the device has not reported', async () => {
    await using stand = await Stand.open(form, library, options);
    stand.device.relay.weather = 'silent';
    await stand.bench.start(1, stand.settings);
    const group = stand.bench.group(1, 1, watched);
    for (let count = 0; count < 5; count++) {
      const [outcome] = await group.next();
      if (!isFault(outcome)) throw new Error(`The point has a value: ${String(outcome)}.`);
      expect(unreported).to.include(outcome.code);
    }
  });
}

function equal(outcomes: readonly Outcome[], values: readonly unknown[]): boolean {
  return outcomes.length === values.length && outcomes.every((one, at) => String(one) === String(values[at]));
}
