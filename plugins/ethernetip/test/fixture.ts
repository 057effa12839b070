import { startFixture, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** A controller that listens, and a started driver that is its client. */
export async function openFixture(
  prepare: (simulator: Simulator) => void = () => undefined,
  changes: Partial<Settings> = {},
): Promise<Fixture> {
  const simulator = new Simulator();
  prepare(simulator);
  await simulator.listen();
  return startFixture(plugin, schema, simulator, { timeout: 500, ...changes });
}
