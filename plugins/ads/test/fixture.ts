import { startFixture, type DriverFixture } from '@tagway/testkit';
import plugin from '../src/index.ts';
import { netIdOf, type Route } from '../src/protocol.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Fixture = DriverFixture<Simulator>;

/** Between the node and the controller that listens. */
export const route: Route = {
  target: { netId: netIdOf('5.23.91.10.1.1'), port: 851 },
  source: { netId: netIdOf('10.0.0.1.1.1'), port: 851 },
};

/** A controller that listens, and a started driver that is its client. */
export async function openFixture(
  prepare: (simulator: Simulator) => void = () => undefined,
  changes: Partial<Settings> = {},
): Promise<Fixture> {
  const simulator = new Simulator();
  prepare(simulator);
  await simulator.listen();
  return startFixture(plugin, schema, simulator, {
    timeout: 500,
    src_ams_net_id: '10.0.0.1.1.1',
    dst_ams_net_id: simulator.netId,
    ...changes,
  });
}
