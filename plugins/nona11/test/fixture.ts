import { Attribute, DataType } from '@tagway/sdk';
import { pointsWith, startFixture, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** No pause between requests. */
const params = { connection_mode: 0, site: 1, interval: 0 };

/** A device that listens, and a started driver that is its client. */
export async function openFixture(
  changes: Partial<Settings> = {},
  simulator = new Simulator(),
): Promise<Fixture> {
  await simulator.listen();
  return startFixture(plugin, schema, simulator, { ...params, ...changes });
}

/** A started driver that waits for a device to dial in. */
export function openServerFixture(port: number): Promise<DriverFixture<object>> {
  return startFixture(plugin, schema, { port }, { ...params, connection_mode: 1 });
}

/** Points from pairs of address and type; UINT16 when the type is left out. */
export const pointsOf = pointsWith(DataType.UINT16, Attribute.READ);
