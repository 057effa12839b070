import { startFixture, type Peer, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Peer>;

/** A started driver that is the client of whatever listens at this port. */
export function fixtureAt(port: number, changes: Partial<Settings> = {}): Promise<Fixture> {
  return startFixture(plugin, schema, { port }, { rack: 0, slot: 1, ...changes });
}

/** A simulator and a driver of it, which is connected. */
export async function withFixture(
  work: (fixture: Fixture, plc: Simulator) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (plc: Simulator) => void = () => undefined,
): Promise<void> {
  await using plc = new Simulator();
  prepare(plc);
  await plc.listen();
  await using fixture = await fixtureAt(plc.port, changes);
  await work(fixture, plc);
}
