import { startFixture, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** A PLC that listens, and a started driver that is its client. */
export async function openFixture(
  changes: Partial<Settings> = {},
  simulator = new Simulator(),
): Promise<Fixture> {
  await simulator.listen();
  return startFixture(plugin, schema, simulator, changes);
}
