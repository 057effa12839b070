import { setTimeout as sleep } from 'node:timers/promises';
import { Attribute, DataType, type Point } from '@tagway/sdk';
import {
  type ContextOverrides,
  pointsWith,
  fixtureWith,
  type DriverFixture,
  startedFixture,
} from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<object>;

/** A driver of the device at this port, not started. With `shortWaits` its pauses of up to 10 s take 400 ms: time enough for a device to answer. */
export function idleFixtureAt(port: number, changes: Partial<Settings> = {}): Fixture {
  const params = {
    host: '127.0.0.1',
    port,
    timeout: 500,
    broadcast: '127.0.0.1',
    discovery_port: 0,
    ...changes,
    bbmd_ttl: 300,
  };
  const given: ContextOverrides = (record) => ({
    clock: {
      now: () => Date.now() + record.clockOffset,
      monotonic: () => performance.now() + record.clockOffset,
      sleep: (ms, signal) =>
        sleep(
          record.shortWaits && ms <= 10_000 ? Math.min(ms, 400) : ms,
          undefined,
          signal === undefined ? {} : { signal },
        ),
      timer: (ms, callback) => {
        const timer = setTimeout(callback, record.shortWaits ? Math.min(ms, 50) : ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    },
  });
  return fixtureWith(plugin, schema, {}, params, given, changes);
}

/** A started driver. */
export function fixtureAt(port: number, changes: Partial<Settings> = {}): Promise<Fixture> {
  return startedFixture(idleFixtureAt(port, changes));
}

const all = pointsWith(DataType.FLOAT, Attribute.READ | Attribute.WRITE | Attribute.SUBSCRIBE);

/** Points from pairs of address and type; FLOAT when the type is left out. */
export function pointsOf(...tags: readonly (string | readonly [string, DataType])[]): readonly Point[] {
  return all(...tags).map((point) =>
    point.address.includes('NULL') ? { ...point, attribute: Attribute.WRITE } : point,
  );
}

/** A simulator and a driver of it, which is connected. */
export async function withFixture(
  work: (fixture: Fixture, device: Simulator) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (device: Simulator) => void = () => undefined,
): Promise<void> {
  await using device = new Simulator();
  prepare(device);
  await device.listen();
  await using fixture = await fixtureAt(device.port, changes);
  await work(fixture, device);
}
