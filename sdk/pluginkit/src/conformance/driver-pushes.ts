import { expect } from 'chai';
import { Attribute, ErrorCode, isFault, LinkState } from '@tagway/sdk';
import type { Form } from '@tagway/sdk/harness';
import type { Library } from '../library.ts';
import { type Outcome, outcomesOf } from '../reading.ts';
import { type DriverConformance, DriverFixture } from './driver-fixture.ts';
import { soon } from './resources.ts';

/** An interval longer than any test: such a group is never read by its tick. */
const never = 3_600_000;

/** The faults that a point may have before the device has reported it. */
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
    await using fixture = await DriverFixture.open(form, library, options);
    await fixture.harness.start(1, fixture.settings);
    const group = fixture.harness.group(1, 1, watched, never);
    const isConnected = (message: { op: string }): boolean =>
      message.op === 'link' && 'link' in message && message.link === LinkState.CONNECTED;
    await fixture.harness.runner.next(isConnected);
    await report(fixture.device.peer);
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
    await using fixture = await DriverFixture.open(form, library, options);
    fixture.device.relay.condition = 'silent';
    await fixture.harness.start(1, fixture.settings);
    const group = fixture.harness.group(1, 1, watched);
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
