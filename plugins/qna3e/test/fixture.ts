import { startFixture, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import { TransportMode, type Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** A PLC that listens over TCP or UDP, and a started driver that is its client. */
export async function openFixture(
  changes: Partial<Settings> = {},
  simulator = new Simulator(),
): Promise<Fixture> {
  await (changes.transport_mode === TransportMode.UDP ? simulator.listenUdp() : simulator.listen());
  return startFixture(plugin, schema, simulator, changes);
}
