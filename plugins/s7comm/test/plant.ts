import { startPlant, type Peer, type Plant as PlantOf } from '@tagway/testkit';
import plugin from '../src/index.ts';
import type { Settings } from '../src/settings.ts';
import schema from '../settings.schema.json' with { type: 'json' };
import { Simulator } from './simulator.ts';

export type Plant = PlantOf<Peer>;

/** A started driver that is the client of whatever listens at this port. */
export function plantAt(port: number, changes: Partial<Settings> = {}): Promise<Plant> {
  return startPlant(plugin, schema, { port }, { rack: 0, slot: 1, ...changes });
}

/** A simulator and a driver of it, which is connected. */
export async function withPlant(
  work: (plant: Plant, plc: Simulator) => Promise<void>,
  changes: Partial<Settings> = {},
  prepare: (plc: Simulator) => void = () => undefined,
): Promise<void> {
  await using plc = new Simulator();
  prepare(plc);
  await plc.listen();
  await using plant = await plantAt(plc.port, changes);
  await work(plant, plc);
}
